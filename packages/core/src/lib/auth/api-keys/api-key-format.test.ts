import { describe, expect, it } from 'vitest'
import { redactText, redactUrl } from '../../logging/redact.ts'
import { createApiKeyText, isApiKeyText, isIntact, toApiKeyHash } from './api-key-format.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function create(count: number, prefix = 'capi'): string[] {
  return Array.from({ length: count }, () => createApiKeyText(prefix))
}

// Every text that one slip of a typist makes of a key.
function mistype(key: string): string[] {
  return Array.from(key, (_, at) => at).flatMap((at) => {
    const [before, after] = [key.slice(0, at), key.slice(at + 1)]
    const [here = '', next = ''] = key.slice(at)
    const other = alphabet[(alphabet.indexOf(here) + 1 + (at % 61)) % 62] ?? ''
    const swapped = next + here + key.slice(at + 2)
    return [before + after, before + here + key.slice(at), before + other + after, before + swapped]
  })
}

describe('the text of an API key', () => {
  it('has one form, for scanners, and is different each time', () => {
    const keys = create(1000)
    for (const key of keys) expect(key).toMatch(/^capi_[0-9A-Za-z]{49}$/)
    expect(new Set(keys).size).toBe(1000)
    // 43 letters of base 62 hold 256 bits: the first is not always the same.
    expect(new Set(keys.map((key) => key[5])).size).toBeGreaterThan(30)
    expect(createApiKeyText('acme_live')).toMatch(/^acme_live_[0-9A-Za-z]{49}$/)
  })

  it('KEY-02 is intact as it was made, and with no slip of a typist', () => {
    let count = 0
    for (const key of create(200)) {
      expect(isIntact('capi', key)).toBe(true)
      for (const text of mistype(key)) {
        if (text === key) continue
        count++
        expect(isIntact('capi', text), `${key} ${text}`).toBe(false)
      }
    }
    expect(count).toBeGreaterThan(40_000)
  })

  it('is not intact with another prefix, or as other text', () => {
    const [key = ''] = create(1)
    for (const text of ['', 'capi_', key.toLowerCase(), `${key} `, key.replace('capi', 'acme')]) {
      expect(isIntact('capi', text)).toBe(false)
    }
    expect(isApiKeyText('capi', key)).toBe(true)
    expect(isApiKeyText('acme', key)).toBe(false)
    expect(isApiKeyText('capi', 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln')).toBe(false)
  })

  it('KEY-01 is stored as its SHA-256', () => {
    expect(toApiKeyHash('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })

  it('LGG-01 is redacted in logs, whatever the prefix and wherever it is', () => {
    for (const prefix of ['capi', 'k1', 'acme_live', 'a234567890123456']) {
      for (const key of create(50, prefix)) {
        const texts = [`/x/${key}/y`, `/x?page=${key}`, `Bearer ${key}.`, `Bearer${key}`, `${key}=`]
        for (const text of [...texts, `${key}${key}`, `a ${key.slice(0, -3)} b`]) {
          expect(redactUrl(text)).not.toContain(key.slice(-40, -4))
          expect(redactText(text)).not.toContain(key.slice(-40, -4))
        }
      }
    }
  })
})
