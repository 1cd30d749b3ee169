import { type Command, InvalidArgumentError } from 'commander'
import { algorithms } from '../accounts/generate-key.ts'
import { choiceOption, collect, countBetween, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const keyHelp = `
create, list and revoke are for API keys: credentials of scripts and services,
which act for a user. They need auth.apiKeys in createApi().

generate and rotate are for the keys that sign tokens. New tokens are signed
with the first key, and tokens of every key are accepted, so users stay logged
in when keys are rotated. HS256 keys are in JWT_SECRET, ES256 and RS256 keys
in JWT_SIGNING_KEYS.`

const apiKeyExamples = formatExamples(
  'keys create --user ada@example.com --name deploy --scopes posts:write',
  'keys create --user ada@example.com --name report --scopes user,editor --expires 30d',
)

const revokeExamples = formatExamples(
  'keys revoke 665f1c0ffee0123456789abc',
  'keys revoke --user ada@example.com',
)

const userExamples = formatExamples(
  'users create --email ada@example.com --role admin',
  'users create --email ada@example.com --password-stdin < password.txt',
  'users create --email ada@example.com --field name=Ada',
)

export function addAccountCommands(program: Command, select: Select): void {
  addKeys(program, select)
  addUsers(program, select)
}

function addKeys(program: Command, select: Select): void {
  const keys = program
    .command('keys')
    .description('manage API keys, and the keys that sign tokens')
    .usage('<create|list|revoke|generate|rotate>')
    .addHelpText('after', keyHelp)
  addApiKeys(keys, select)
  keys
    .command('generate')
    .description('print a new signing key without changing anything')
    .addOption(choiceOption('--alg <name>', 'HS256, ES256 or RS256 (default: HS256)', algorithms))
    .addHelpText('after', formatExamples('keys generate', 'keys generate --alg ES256 --json'))
    .action(toAction(select, async () => (await import('../accounts/generate-key.ts')).generateKey))
  keys
    .command('rotate')
    .description('add a signing key to .env and sign with it')
    .addOption(
      choiceOption('--alg <name>', 'HS256, ES256 or RS256 (default: the current one)', algorithms),
    )
    .option('--keep <count>', 'number of current keys to keep (default: all)', countBetween(0, 999))
    .addHelpText('after', formatExamples('keys rotate', 'keys rotate --alg ES256 --keep 1'))
    .action(toAction(select, async () => (await import('../accounts/rotate-key.ts')).rotateKey))
}

function addApiKeys(keys: Command, select: Select): void {
  keys
    .command('create')
    .description('create an API key of a user, and print it; it is shown only once')
    .requiredOption('--user <email>', 'user that the key belongs to')
    .requiredOption('--name <text>', 'name of the key, for its owner')
    .requiredOption(
      '--scopes <list>',
      'what it may do: user, or roles and permissions of its owner',
      parseList,
    )
    .option('--expires <time>', 'lifetime, such as 90d or 12h', parseLifetime)
    .addHelpText('after', apiKeyExamples)
    .action(toAction(select, async () => (await import('../accounts/api-keys.ts')).createApiKey))
  keys
    .command('list')
    .description('list the valid API keys of a user')
    .requiredOption('--user <email>', 'user that the keys belong to')
    .addHelpText('after', formatExamples('keys list --user ada@example.com'))
    .action(toAction(select, async () => (await import('../accounts/api-keys.ts')).listApiKeys))
  keys
    .command('revoke')
    .description('revoke an API key, or all API keys of a user')
    .argument('[id]', 'id of the key, as in the list')
    .option('--user <email>', 'revoke all API keys of this user')
    .addHelpText('after', revokeExamples)
    .action(toAction(select, async () => (await import('../accounts/api-keys.ts')).revokeApiKeys))
}

function addUsers(program: Command, select: Select): void {
  const users = program
    .command('users')
    .description('manage accounts and their roles')
    .usage('<create|list|grant|revoke|export|erase>')
  users
    .command('create')
    .description('create a user, with any roles, in the database of the application')
    .option('--email <address>', 'e-mail address; prompted for in a terminal')
    .option('--role <name>', 'role of the user; repeatable', collect)
    .option('--password-stdin', 'read the password from standard input')
    .option('--field <name=value>', 'custom field of the application; repeatable', collect)
    .addHelpText('after', userExamples)
    .action(toAction(select, async () => (await import('../accounts/create-user.ts')).createUser))
  users
    .command('list')
    .description('list the users in the database of the application')
    .option('--role <name>', 'only users with this role')
    .option('--limit <count>', 'number of users, 1 to 1000', countBetween(1, 1000), 100)
    .option('--after <email>', 'start after this address')
    .addHelpText('after', formatExamples('users list', 'users list --role admin --json'))
    .action(toAction(select, async () => (await import('../accounts/list-users.ts')).listUsers))
  addRoleCommand(users, select, 'grant', 'give a user a role')
  addRoleCommand(users, select, 'revoke', 'take a role from a user')
  addPersonalData(users, select)
}

function addPersonalData(users: Command, select: Select): void {
  users
    .command('export')
    .description('print what is stored about a user, as lines of JSON')
    .argument('<user>', 'id or e-mail address of the user')
    .option('--out <file>', 'write to a file, which only its owner can read')
    .addHelpText('after', formatExamples('users export ada@example.com --out ada.ndjson'))
    .action(toAction(select, async () => (await import('../accounts/personal-data.ts')).exportUser))
  users
    .command('erase')
    .description('erase a user, and what is stored about the user')
    .argument('<user>', 'id or e-mail address of the user')
    .option('-n, --dry-run', 'list what would be deleted, anonymized and kept')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', formatExamples('users erase ada@example.com --dry-run'))
    .action(toAction(select, async () => (await import('../accounts/personal-data.ts')).eraseUser))
}

function addRoleCommand(
  users: Command,
  select: Select,
  action: 'grant' | 'revoke',
  description: string,
): void {
  users
    .command(action)
    .description(description)
    .argument('<email>', 'e-mail address of the user')
    .argument('<role>', 'name of the role')
    .addHelpText('after', formatExamples(`users ${action} ada@example.com editor`))
    .action(
      toAction(select, async () => (await import('../accounts/change-role.ts')).changeRole, {
        action,
      }),
    )
}

function parseList(value: string): readonly string[] {
  const words = value.split(',').map((word) => word.trim())
  if (words.every((word) => word !== '')) return [...new Set(words)]
  throw new InvalidArgumentError('Expected words separated by commas, such as posts:write,editor.')
}

const hour = 3_600_000

function parseLifetime(value: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(value) ?? []
  if (count !== undefined) return Number(count) * (unit === 'd' ? 24 * hour : hour)
  throw new InvalidArgumentError('Expected days or hours, such as 90d or 12h.')
}
