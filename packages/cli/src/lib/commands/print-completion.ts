import { type Command } from 'commander'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Outcome } from '../terminal/reporter.ts'

type Words = ReadonlyMap<string, readonly string[]>

const writers: ReadonlyMap<string, (words: Words) => readonly string[]> = new Map(
  Object.entries<(words: Words) => readonly string[]>({
    bash: toBash,
    zsh: toZsh,
    fish: toFish,
    powershell: toPowerShell,
  }),
)

export async function printCompletion(shell: string, program: Command): Promise<Outcome> {
  const words = new Map(collect(program, 'api'))
  const lines = writers.get(shell)?.(words) ?? []
  return { json: { command: 'completion', shell, script: lines.join('\n') }, lines, notes: [] }
}

function collect(command: Command, path: string): readonly (readonly [string, string[]])[] {
  const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()])
  const options = command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []))
  const children = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((name) => collect(child, `${path} ${name}`)),
  )
  return [[path, [...names, ...options, '--help']], ...children]
}

function toBash(words: Words): readonly string[] {
  return [
    '# bash: eval "$(npx --no-install api completion bash)"',
    '_api_completion() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" path="api" word list',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) path="$path $word" ;; esac',
    '  done',
    ...caseLines(words, '  '),
    '  COMPREPLY=($(compgen -W "$list" -- "$current"))',
    '}',
    'complete -F _api_completion api',
  ]
}

function toZsh(words: Words): readonly string[] {
  return [
    '# zsh: eval "$(npx --no-install api completion zsh)"',
    '_api_completion() {',
    '  local path_="api" word list',
    '  for word in ${words[2,CURRENT-1]}; do',
    '    case "$word" in -*) ;; *) path_="$path_ $word" ;; esac',
    '  done',
    ...caseLines(words, '  ').map((line) => line.replace('"$path"', '"$path_"')),
    '  compadd -- ${=list}',
    '}',
    'compdef _api_completion api',
  ]
}

// The longest path first: what follows a resource's name completes as the command does.
function caseLines(words: Words, indent: string): readonly string[] {
  const paths = [...words.keys()].toSorted((a, b) => b.length - a.length)
  return [
    `${indent}case "$path" in`,
    ...paths.map((path) => `${indent}  "${path}"*) list="${(words.get(path) ?? []).join(' ')}" ;;`),
    `${indent}esac`,
  ]
}

function toFish(words: Words): readonly string[] {
  const lines = ['# fish: npx --no-install api completion fish | source', 'complete -c api -f']
  for (const [path, list] of words) {
    const parents = path.split(' ').slice(1)
    const seen = parents.map((name) => `__fish_seen_subcommand_from ${name}`)
    const condition = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ')
    for (const word of list) {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      lines.push(`complete -c api -n ${quoteForShell(condition)} ${what}`)
    }
  }
  return lines
}

function toPowerShell(words: Words): readonly string[] {
  const paths = [...words.keys()].toSorted((a, b) => b.length - a.length)
  return [
    '# PowerShell: npx --no-install api completion powershell | Out-String | Invoke-Expression',
    'Register-ArgumentCompleter -Native -CommandName api -ScriptBlock {',
    '  param($wordToComplete, $commandAst, $cursorPosition)',
    '  $words = $commandAst.CommandElements | ForEach-Object { "$_" } | Where-Object { $_ -notlike "-*" }',
    '  if ($wordToComplete) { $words = $words | Where-Object { $_ -ne $wordToComplete } }',
    '  $path = $words -join " "',
    '  $list = switch -Wildcard ($path) {',
    ...paths.map((path) => `    "${path}*" { "${(words.get(path) ?? []).join(' ')}"; break }`),
    '  }',
    '  "$list".Split(" ") | Where-Object { $_ -like "$wordToComplete*" }',
    '}',
  ]
}
