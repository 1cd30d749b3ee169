import { type Command } from 'commander'
import { choiceOption, countBetween, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const states = ['waiting', 'blocked', 'running', 'done', 'dead', 'discarded']

const workHelp = `
The process serves no requests and opens no port. In production, start the
compiled service with WORKER=only instead.`

const jobsHelp = `
The commands use the database of the application: set MONGODB_URI for that of
production. They need createJobs() in the application.`

export function addJobCommands(program: Command, select: Select): void {
  program
    .command('work')
    .description('run the jobs of the service, without serving requests')
    .addHelpText('after', workHelp)
    .addHelpText('after', formatExamples('work'))
    .action(toAction(select, async () => (await import('../commands/work.ts')).work))
  const jobs = program
    .command('jobs')
    .description('list, retry, discard and pause background jobs')
    .usage('<list|retry|discard|pause|resume>')
    .addHelpText('after', jobsHelp)
  addList(jobs, select)
  addChanges(jobs, select)
  addPauses(jobs, select)
}

function addList(jobs: Command, select: Select): void {
  jobs
    .command('list')
    .description('list the latest jobs, and how many there are in each state')
    .addOption(
      choiceOption('--state <name>', `only jobs in this state: ${states.join(', ')}`, states),
    )
    .option('--name <job>', 'only jobs of this name')
    .option('--limit <number>', 'number of jobs (default: 20)', countBetween(1, 1000))
    .addHelpText('after', formatExamples('jobs list', 'jobs list --state dead --json'))
    .action(toAction(select, async () => (await import('../commands/manage-jobs.ts')).listJobs))
}

function addChanges(jobs: Command, select: Select): void {
  jobs
    .command('retry')
    .description('run dead jobs again')
    .argument('[id]', 'id of a job')
    .option('--name <job>', 'the dead jobs of this name')
    .option('--all', 'all dead jobs')
    .addHelpText('after', formatExamples('jobs retry 665f1c0ffee0123456789abc', 'jobs retry --all'))
    .action(toAction(select, async () => (await import('../commands/manage-jobs.ts')).retryJobs))
  jobs
    .command('discard')
    .description('take jobs out of the queue: one that waits or is dead, or dead ones')
    .argument('[id]', 'id of a job')
    .option('--name <job>', 'the dead jobs of this name')
    .option('--all', 'all dead jobs')
    .addHelpText('after', formatExamples('jobs discard 665f1c0ffee0123456789abc'))
    .action(toAction(select, async () => (await import('../commands/manage-jobs.ts')).discardJobs))
}

function addPauses(jobs: Command, select: Select): void {
  jobs
    .command('pause')
    .description('let no process take the jobs of a name; those that run are finished')
    .argument('<name>', 'name of the job or handler')
    .addHelpText('after', formatExamples('jobs pause send-welcome'))
    .action(toAction(select, async () => (await import('../commands/manage-jobs.ts')).pauseJobs))
  jobs
    .command('resume')
    .description('let processes take the jobs of a name again')
    .argument('<name>', 'name of the job or handler')
    .addHelpText('after', formatExamples('jobs resume send-welcome'))
    .action(toAction(select, async () => (await import('../commands/manage-jobs.ts')).resumeJobs))
}
