/** Lifetimes of the sessions that the oracle predicts, in milliseconds. */
export interface OracleSettings {
  idle: number
  absolute: number
  leeway: number
  perUser: number
}

interface OracleSession {
  readonly user: number
  gen: number
  rotatedAt: number | undefined
  /** The last generation that was returned again in the leeway, and how many in a row there were. */
  reissued: number | undefined
  inRow: number
  idleExpiresAt: number
  readonly absoluteExpiresAt: number
  isRevoked: boolean
  isRemoved: boolean
}

/** A refresh token, as far as the oracle needs it. */
export interface OracleToken {
  readonly session: number
  readonly gen: number
}

/** Predicts the results of refresh, login and logout: the state machine in its simplest form. */
export interface SessionOracle {
  login(user: number, now: number): number | 'invalid_credentials'
  /** The generation of the returned token, or the error code. */
  refresh(token: OracleToken, times: { now: number; arrivedAt: number }): number | string
  logout(token: OracleToken, now: number): void
  setDisabled(user: number, isDisabled: boolean): void
  generationOf(session: number): number
}

export function createSessionOracle(settings: OracleSettings): SessionOracle {
  const sessions: OracleSession[] = []
  const disabled = new Set<number>()
  const isLive = (session: OracleSession, now: number): boolean =>
    !session.isRemoved &&
    !session.isRevoked &&
    session.idleExpiresAt > now &&
    session.absoluteExpiresAt > now

  return {
    login(user, now) {
      if (disabled.has(user)) return 'invalid_credentials'
      const absoluteExpiresAt = now + settings.absolute
      const idleExpiresAt = Math.min(now + settings.idle, absoluteExpiresAt)
      const fresh = { user, gen: 0, rotatedAt: undefined, reissued: undefined, inRow: 0 }
      const open = { isRevoked: false, isRemoved: false }
      sessions.push({ ...fresh, ...open, idleExpiresAt, absoluteExpiresAt })
      const live = sessions.filter((session) => session.user === user && isLive(session, now))
      for (const session of live.slice(0, -settings.perUser)) session.isRevoked = true
      return sessions.length - 1
    },
    refresh(token, times) {
      const session = sessions[token.session]
      if (!session || session.isRemoved) return 'invalid_token'
      if (disabled.has(session.user)) {
        for (const other of sessions) if (other.user === session.user) other.isRemoved = true
        return 'session_revoked'
      }
      if (session.isRevoked) return 'session_revoked'
      if (!isLive(session, times.now)) return 'refresh_token_expired'
      return token.gen === session.gen
        ? rotate(session, times.now, settings)
        : judge(session, token, times.arrivedAt, settings)
    },
    logout(token, now) {
      const session = sessions[token.session]
      if (session && isLive(session, now)) session.isRevoked = true
    },
    setDisabled(user, isDisabled) {
      if (isDisabled) disabled.add(user)
      else disabled.delete(user)
    },
    generationOf: (session) => sessions[session]?.gen ?? 0,
  }
}

function rotate(session: OracleSession, now: number, { idle }: OracleSettings): number {
  session.gen++
  session.rotatedAt = now
  session.idleExpiresAt = Math.min(now + idle, session.absoluteExpiresAt)
  return session.gen
}

function judge(
  session: OracleSession,
  token: OracleToken,
  arrived: number,
  { leeway }: OracleSettings,
): number | string {
  const { gen, rotatedAt = -Infinity } = session
  if (token.gen === gen - 1) {
    if (arrived <= rotatedAt) return leeway > 0 ? gen : 'refresh_conflict'
    if (session.reissued !== gen)
      session.inRow = session.reissued === gen - 1 ? session.inRow + 1 : 1
    if (arrived - leeway <= rotatedAt && session.inRow <= 3) {
      session.reissued = gen
      return gen
    }
  }
  session.isRevoked = true
  return 'refresh_token_reused'
}
