import { type Command } from 'commander'
import { choiceOption, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const help = `
Merges three versions of each generated file: as it was generated, as it is in
the project, and as this version of create-api generates it. git does the
merge. Conflicts are marked in the files; the exit code is then 3.`

export function addUpgrade(program: Command, select: Select): void {
  program
    .command('upgrade')
    .description('merge what this version generates into the project')
    .option('--to <version>', 'fail unless create-api has this version')
    .addOption(
      choiceOption('--only <what>', 'resources, or project for all other files', [
        'resources',
        'project',
      ]),
    )
    .option('--base <commit>', 'commit that has the files as they were generated')
    .option('--ours', 'resolve conflicts with your lines')
    .option('--theirs', 'resolve conflicts with the new lines')
    .option('--stop', 'write nothing if there is a conflict')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'upgrade despite uncommitted changes')
    .addHelpText('after', help)
    .addHelpText(
      'after',
      formatExamples('upgrade --dry-run', 'upgrade', 'upgrade --only resources --stop'),
    )
    .action(
      toAction(select, async () => (await import('../commands/upgrade-project.ts')).upgradeProject),
    )
}
