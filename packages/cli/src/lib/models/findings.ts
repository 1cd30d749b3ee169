import { type ModelDescription, type ModelPath } from '../project/model-description.ts'
import { type PathCode } from './path-code.ts'

/** What became of a part of a model. */
export interface Finding {
  /** Path of a field, or name of another part of the schema. */
  readonly path: string
  readonly state: 'translated' | 'open' | 'hidden' | 'left out'
  /** The code, or what the generated code does not do. */
  readonly detail: string
  /** File and line. */
  readonly place?: string | undefined
}

export function toPlace({ file }: ModelDescription, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`
}

// Of a field that has code.
export function describeField(
  description: ModelDescription,
  path: ModelPath,
  code: PathCode,
): readonly Finding[] {
  const hidden = listHidden(path.members ?? path.item?.members ?? [], `${path.name}.`)
  return [
    ...describeCode(description, path, code),
    ...hidden.map(({ member, path: place }): Finding => ({
      path: place,
      state: 'hidden',
      detail: member.hidden ?? '',
      place: toPlace(description, member.line),
    })),
  ]
}

function describeCode(
  description: ModelDescription,
  path: ModelPath,
  { notes, zod }: PathCode,
): readonly Finding[] {
  const { alias, hidden, immutable, line, name, uses } = path
  if (hidden !== undefined) {
    const detail = `${hidden}; required, so POST takes it: ${zod}`
    return [{ path: name, state: 'hidden', detail, place: toPlace(description, line) }]
  }
  const others = [
    ...(immutable ? ['only POST takes it'] : []),
    ...(alias === undefined ? [] : [`its alias ${alias} is not part of the API`]),
    ...(uses?.includes('expires') ? ['MongoDB deletes the document by this time'] : []),
  ]
  const own: Finding = { path: name, state: 'translated', detail: [zod, ...others].join('; ') }
  const open = notes.map((note): Finding => ({
    path: note.path,
    state: 'open',
    detail: note.text,
    place: toPlace(description, note.line),
  }))
  return open.length === 0 || others.length > 0 ? [own, ...open] : open
}

interface HiddenMember {
  readonly path: string
  readonly member: ModelPath
}

function listHidden(members: readonly ModelPath[], prefix: string): readonly HiddenMember[] {
  return members.flatMap((member): readonly HiddenMember[] => {
    const path = prefix + member.name
    if (member.hidden !== undefined) return [{ path, member }]
    return listHidden(member.members ?? member.item?.members ?? [], `${path}.`)
  })
}

// What is not a field.
export function describeOthers(description: ModelDescription): readonly Finding[] {
  const { file, virtuals } = description
  const left = virtuals.map((path): Finding => ({
    path,
    state: 'left out',
    detail: 'a virtual, which documents do not store',
    place: file,
  }))
  const parts = [...toVersionNotes(description), ...toBehaviorNotes(description)]
  return [
    ...left,
    ...parts.map(([path, detail]): Finding => ({ path, state: 'open', detail, place: file })),
  ]
}

type PartNote = readonly [path: string, detail: string]

function toVersionNotes({ plugins, versionKey }: ModelDescription): readonly PartNote[] {
  if (versionKey === false) return [['ETag', 'none, because of versionKey: false']]
  if (versionKey !== '__v') return [['ETag', `none, because the version is in ${versionKey}`]]
  if (plugins.includes('versioned')) return []
  return [['ETag', 'covers changes by these routes; schema.plugin(versioned) covers all']]
}

function toBehaviorNotes(description: ModelDescription): readonly PartNote[] {
  const { deletedMark, discriminator, file, hooks, loose } = description
  const skipped = hooks.filter((hook) => ['save', 'deleteOne', 'remove'].includes(hook))
  const others = discriminator?.value === undefined ? (discriminator?.others ?? []) : []
  const files = others.map((one) => `${file}#${one}`).join(', ')
  const notes: readonly (PartNote | false)[] = [
    others.length > 0 && [
      discriminator?.key ?? '',
      `has only the fields of the base; for the others: ${files}`,
    ],
    skipped.length > 0 && [
      'hooks',
      `of ${skipped.join(', ')}: PUT and PATCH use findOneAndUpdate, DELETE uses findOneAndDelete`,
    ],
    loose === true && ['strict', 'members that the schema does not have are rejected'],
    deletedMark !== undefined && [
      deletedMark,
      'marks deleted documents: there is no DELETE, and lists contain them unless the model hides them',
    ],
  ]
  return notes.filter((note) => note !== false)
}
