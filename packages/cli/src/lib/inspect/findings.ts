export interface Finding {
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** How to fix it. */
  readonly fix?: string | undefined
}

export function ok(message: string): Finding {
  return { status: 'ok', message }
}

export function warning(message: string, fix?: string): Finding {
  return { status: 'warning', message, fix }
}

export function problem(message: string, fix?: string): Finding {
  return { status: 'problem', message, fix }
}
