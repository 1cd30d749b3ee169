import { defineJob, type Job } from '@create-api/jobs'
import { z } from 'zod'
import { disabledReasons } from '../store/models.ts'
import { type DisabledNotice, type WebhookParts } from './parts.ts'

// The job that informs the owner of an endpoint by mail that it was disabled.
export function createNotify({ mail, models }: WebhookParts): Job<DisabledNotice> {
  return defineJob({
    name: 'notify-of-disabled-webhook',
    input: z.object({ endpoint: z.string(), reason: z.enum(disabledReasons) }),
    async run({ endpoint: id, reason }) {
      const endpoint = await models.endpoints.findById(id).lean()
      if (!endpoint || !mail) return
      const { organization, owner, url } = endpoint
      for (const to of await mail.addresses({ owner, organization })) {
        await mail.mailer.send({ kind: 'webhook-disabled', to, ...toText(url, reason) })
      }
    },
  })
}

function toText(
  url: string,
  reason: DisabledNotice['reason'],
): { readonly subject: string; readonly text: string } {
  const { host } = new URL(url)
  const cause =
    reason === 'gone'
      ? 'Its response was 410 Gone, which asks to send nothing more.'
      : 'All attempts to deliver messages to it have failed for days.'
  return {
    subject: `The webhook for ${host} was disabled`,
    text: `No more messages are sent to ${url}. ${cause}\n\nWhen it works again, enable it, and send the messages again that have failed.`,
  }
}
