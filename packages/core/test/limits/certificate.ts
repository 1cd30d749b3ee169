import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Whether the machine can make a certificate; CI installs what it takes. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** A certificate of 127.0.0.1 that vouches for itself. */
export interface Certificate {
  /** File of the certificate. */
  readonly cert: string
  /** File of its key. */
  readonly key: string
  /** Deletes both. */
  remove(): void
}

/**
 * Makes a certificate for a day.
 * @returns where it is
 * @throws Error with what openssl said
 */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'certificate-'))
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1']
  const files = ['-keyout', key, '-out', cert]
  const made = spawnSync('openssl', ['req', '-x509', '-days', '1', ...kind, ...subject, ...files])
  if (made.status !== 0) throw new Error(`No certificate was made: ${String(made.stderr)}`)
  return { cert, key, remove: () => rmSync(folder, { recursive: true }) }
}
