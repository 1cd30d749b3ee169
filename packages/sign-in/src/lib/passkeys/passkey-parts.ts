import { type WayParts } from '../way.ts'
import { type Challenges } from './challenges.ts'
import { type PasskeyModels } from './passkey-models.ts'
import { type PasskeySettings } from './passkey-options.ts'

// What the functions of passkeys work with.
export interface PasskeyParts extends Pick<WayParts, 'beforeSession' | 'canLogIn' | 'context'> {
  readonly settings: PasskeySettings
  readonly models: PasskeyModels
  readonly challenges: Challenges
}
