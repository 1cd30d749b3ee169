import { type Command } from 'commander'
import { countBetween, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const auditHelp = `
The commands use the database of the application: set MONGODB_URI for that of
production, and AUDIT_SECRET or JWT_SECRET as there. They need auditChanges()
beside a model.`

const idDescription = 'only the document with this id; needs --model'

export function addAuditCommands(program: Command, select: Select): void {
  const audit = program
    .command('audit')
    .description('list, verify and purge the audit trail')
    .usage('<list|verify|purge>')
    .addHelpText('after', auditHelp)
  audit
    .command('list')
    .description('list the latest entries')
    .option('--model <name>', 'only documents of this model or collection')
    .option('--id <id>', idDescription)
    .option('--user <id>', 'only changes by the user with this id')
    .option('--limit <number>', 'number of entries (default: 20)', countBetween(1, 1000))
    .addHelpText(
      'after',
      formatExamples('audit list', 'audit list --model posts --id 665f1c0ffee0123456789abc --json'),
    )
    .action(toAction(select, async () => (await import('../commands/read-audit.ts')).listAudit))
  audit
    .command('verify')
    .description('check that no entry was changed, added or removed')
    .option('--model <name>', 'only documents of this model or collection')
    .option('--id <id>', idDescription)
    .addHelpText('after', formatExamples('audit verify', 'audit verify --model posts --json'))
    .action(toAction(select, async () => (await import('../commands/read-audit.ts')).verifyAudit))
  audit
    .command('purge')
    .description('remove the entries that are older than their models keep them')
    .addHelpText('after', formatExamples('audit purge'))
    .action(toAction(select, async () => (await import('../commands/read-audit.ts')).purgeAudit))
}
