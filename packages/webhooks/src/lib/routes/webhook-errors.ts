import { defineErrors } from '@create-api/core'

/** The error codes of `@create-api/webhooks`. */
export const webhookErrors = defineErrors({
  webhook_disabled: { status: 409, title: 'The webhook is disabled.' },
  webhook_pending: { status: 409, title: 'The message is still to be delivered.' },
  too_many_webhooks: { status: 409, title: 'There is the maximum number of webhooks.' },
})
