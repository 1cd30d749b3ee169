import { CliError } from '../errors/cli-error.ts'
import { type ManagerCall, runManager } from '../jobs/run-manager.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Outcome } from '../terminal/reporter.ts'

export interface ListJobsOptions {
  readonly state?: string | undefined
  readonly name?: string | undefined
  readonly limit?: number | undefined
}

export interface ChooseJobsOptions {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly all?: boolean | undefined
}

export interface PauseJobsOptions {
  readonly name: string
}

interface JobList {
  readonly jobs: readonly {
    readonly id: string
    readonly name: string
    readonly state: string
    readonly attempt: number
    readonly due?: string
    readonly createdAt: string
    readonly finishedAt?: string
    readonly error?: string
  }[]
  readonly counts: readonly {
    readonly name: string
    readonly state: string
    readonly count: number
  }[]
  readonly paused: readonly string[]
}

export async function listJobs(
  { limit = 20, name, state }: ListJobsOptions,
  context: CommandContext,
): Promise<Outcome> {
  const call: ManagerCall = { method: 'list', args: [{ state, name, limit }] }
  const { counts, jobs, paused } = await runManager<JobList>(call, context)
  const rows = jobs.map(({ attempt, createdAt, error = '', id, name: job, state: now }) => [
    id,
    job,
    now,
    String(attempt),
    createdAt.slice(0, 19).replace('T', ' '),
    error.split('\n')[0]?.slice(0, 60) ?? '',
  ])
  const heading = ['id', 'job', 'state', 'attempts', 'created (UTC)', 'error']
  const numbers = counts.map(({ count: total, name: job, state: now }) => [job, now, String(total)])
  const lines =
    rows.length === 0
      ? ['', '  There are no jobs.', '']
      : [...printTable(heading, rows), ...printTable(['job', 'state', 'jobs'], numbers)]
  return {
    json: { command: 'jobs list', jobs, counts, paused },
    lines,
    notes: paused.map((job) => ({ kind: 'note', message: `${job} is paused` })),
  }
}

export async function retryJobs(
  options: ChooseJobsOptions,
  context: CommandContext,
): Promise<Outcome> {
  return change('jobs retry', 'retry', options, context)
}

export async function discardJobs(
  options: ChooseJobsOptions,
  context: CommandContext,
): Promise<Outcome> {
  return change('jobs discard', 'discard', options, context)
}

export async function pauseJobs(
  { name }: PauseJobsOptions,
  context: CommandContext,
): Promise<Outcome> {
  await runManager<null>({ method: 'pause', args: [name, true] }, context)
  return {
    json: { command: 'jobs pause', name },
    lines: [`  No process takes jobs of ${name}.`],
    notes: [{ kind: 'next', message: `to go on: npx api jobs resume ${name}` }],
  }
}

export async function resumeJobs(
  { name }: PauseJobsOptions,
  context: CommandContext,
): Promise<Outcome> {
  await runManager<null>({ method: 'pause', args: [name, false] }, context)
  return {
    json: { command: 'jobs resume', name },
    lines: [`  Processes take jobs of ${name} again.`],
    notes: [],
  }
}

async function change(
  command: string,
  method: 'retry' | 'discard',
  { all = false, id, name }: ChooseJobsOptions,
  context: CommandContext,
): Promise<Outcome> {
  const choices = [id !== undefined, name !== undefined, all].filter(Boolean).length
  if (choices !== 1) {
    throw new CliError('USAGE', `${command} needs an id, --name <job> or --all`)
  }
  const changed = await runManager<number>({ method, args: [{ id, name }] }, context)
  const verb = method === 'retry' ? 'due again' : 'discarded'
  return {
    json: { command, jobs: changed },
    lines: [`  ${count(changed, 'job')} ${verb}.`],
    notes: [],
  }
}
