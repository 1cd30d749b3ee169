import { type Document, MongoClient } from 'mongodb'
import { type Requirement } from './spec-file.ts'

/** What tests ask about the server they run on. */
export interface ServerFacts {
  version: number[]
  topology: string
  parameters: Document
  isEmbedded: boolean
  hasAuth: boolean
}

export async function readServerFacts(uri: string): Promise<ServerFacts> {
  const client = await MongoClient.connect(uri)
  try {
    const admin = client.db('admin')
    const build = await admin.command({ buildInfo: 1 })
    const hello = await admin.command({ hello: 1 })
    return {
      version: String(build['version']).split('.').map(Number),
      topology:
        hello['msg'] === 'isdbgrid' ? 'sharded' : hello['setName'] ? 'replicaset' : 'single',
      parameters: await admin.command({ getParameter: '*' }),
      isEmbedded: build['modules']?.includes('embedded') === true,
      hasAuth: client.options.credentials !== undefined,
    }
  } finally {
    await client.close()
  }
}

/** @returns Why no requirement is met; undefined when one is, or there is none. */
export function findUnmet(
  requirements: Requirement[] = [],
  facts: ServerFacts,
): string | undefined {
  const reasons = requirements.map((requirement) => unmet(requirement, facts))
  return reasons.includes(undefined) ? undefined : reasons[0]
}

function unmet(requirement: Requirement, facts: ServerFacts): string | undefined {
  const { minServerVersion: min, maxServerVersion: max, topologies } = requirement
  if (min !== undefined && compare(facts.version, min) < 0) return `needs MongoDB ${min}`
  if (max !== undefined && compare(facts.version, max) > 0) return `is for MongoDB up to ${max}`
  if (topologies && !topologies.includes(facts.topology)) return `is for ${topologies.join(', ')}`
  if (requirement.auth !== undefined && requirement.auth !== facts.hasAuth) {
    return requirement.auth ? 'needs authentication' : 'is for a server without authentication'
  }
  if (requirement.serverless === 'require') return 'needs a serverless MongoDB'
  if (requirement.csfle !== undefined && requirement.csfle !== false) return 'needs encryption'
  const parameter = Object.entries(requirement.serverParameters ?? {}).find(
    ([name, value]) => facts.parameters[name] !== value,
  )
  return parameter && `needs the server parameter ${parameter.join(' = ')}`
}

// As far as the requirement goes: 8.0.4 is not above a maximum of 8.0.
function compare(version: number[], requirement: string): number {
  for (const [i, part] of requirement.split('.').entries()) {
    const difference = (version[i] ?? 0) - Number(part)
    if (difference !== 0) return difference
  }
  return 0
}
