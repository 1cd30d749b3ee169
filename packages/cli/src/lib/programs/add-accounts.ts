import { type Command, InvalidArgumentError } from 'commander'
import { algorithms } from '../accounts/make-key.ts'
import { choiceOption, toExamples } from '../program-options.ts'
import { type Selected } from '../run.ts'

type Select = (command: Selected) => void

const keyHelp = `
The first key makes new tokens, all are taken, so a rotation logs nobody out.
HS256 keys are JWT_SECRET; keys of ES256 and RS256 are JWT_SIGNING_KEYS.`

const userExamples = toExamples(
  'users create --email ada@example.com --role admin',
  'users create --email ada@example.com --password-stdin < password.txt',
  'users create --email ada@example.com --field name=Ada',
)

/**
 * Adds the commands for keys and users.
 *
 * @param program the program `api`
 * @param select takes the command that the arguments chose
 */
export function addAccounts(program: Command, select: Select): void {
  addKeys(program, select)
  addUsers(program, select)
}

function addKeys(program: Command, select: Select): void {
  const keys = program
    .command('keys')
    .description('make keys for tokens, or rotate them')
    .usage('<generate|rotate>')
    .addHelpText('after', keyHelp)
  keys
    .command('generate')
    .description('print a new key, change nothing')
    .addOption(choiceOption('--alg <name>', 'HS256 (default), ES256 or RS256', algorithms))
    .addHelpText('after', toExamples('keys generate', 'keys generate --alg ES256 --json'))
    .action((options: object) => {
      select(async () => {
        const { generateKey } = await import('../accounts/generate-key.ts')
        return generateKey(options)
      })
    })
  keys
    .command('rotate')
    .description('put a new key in front of the others in .env')
    .addOption(choiceOption('--alg <name>', 'HS256, ES256 or RS256 (default: as now)', algorithms))
    .option('--keep <count>', 'how many of the present keys stay (default: all)', toCount)
    .addHelpText('after', toExamples('keys rotate', 'keys rotate --alg ES256 --keep 1'))
    .action((options: object) => {
      select(async (context) => {
        const { rotateKey } = await import('../accounts/rotate-key.ts')
        return rotateKey(options, context)
      })
    })
}

function addUsers(program: Command, select: Select): void {
  program
    .command('users')
    .description('manage accounts')
    .usage('create')
    .command('create')
    .description('make a user of any role in the database of the application')
    .option('--email <address>', 'whose account; asked for in a terminal')
    .option('--role <name>', 'what the user may do', 'user')
    .option('--password-stdin', 'read the password from standard input')
    .option('--field <name=value>', "one of the application's own fields; repeatable", collect)
    .addHelpText('after', userExamples)
    .action((options: UserFlags) => {
      select(async (context) => {
        const { createUser } = await import('../accounts/create-user.ts')
        return createUser(options, context)
      })
    })
}

interface UserFlags {
  readonly role: string
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value]
}

function toCount(value: string): number {
  if (/^\d{1,3}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('It is a number of keys, 0 to 999.')
}
