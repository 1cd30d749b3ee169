import { CommandError } from '../errors/command-error.ts'
import { commitView } from '../sessions/commit.ts'
import { type Transaction } from '../sessions/transactions.ts'
import { type Command, type CommandContext } from './context.ts'

// Committing a second time succeeds.
export const commitTransaction: Command = {
  adminOnly: true,
  options: ['recoveryToken'],
  inTransaction: true,
  run(context) {
    const { server } = context
    const transaction = requireTransaction(context)
    if (transaction.state === 'committed') return {}
    server.transactions.checkCommit(transaction)
    if (!transaction.view.isEmpty) commitView(server, transaction.view, [])
    server.transactions.end(transaction, 'committed')
    return {}
  },
}

export const abortTransaction: Command = {
  adminOnly: true,
  options: ['recoveryToken'],
  inTransaction: true,
  run(context) {
    context.server.transactions.end(requireTransaction(context), 'aborted')
    return {}
  },
}

function requireTransaction({ transaction, name }: CommandContext): Transaction {
  if (transaction) return transaction
  throw new CommandError('CommandFailed', `${name} must be run within a transaction`)
}
