import { type LinkSettings } from '../options.ts'
import { linkRouteNames } from '../route-names.ts'
import { uncounted } from '../uncounted.ts'
import { type SignInWay } from '../way.ts'
import { createLoginLinkModel } from './link-model.ts'
import { createLinkRoutes } from './link-routes.ts'
import { createLinks } from './links.ts'

// Logins by a link or a code in a mail. Creating it throws TypeError without `auth.mail`.
export function linkWay(settings: LinkSettings): SignInWay {
  return {
    name: 'links',
    routeNames: linkRouteNames,
    create({ context, ...others }) {
      if (!context.mail) throw new TypeError('createSignIn({ links }) needs auth.mail.')
      const model = createLoginLinkModel(context.place)
      const parts = { context, settings, model, ...others }
      const removeAll = async (userId: string): Promise<void> => {
        await model.deleteMany({ userId })
      }
      return {
        service: createLinks(parts, context.takeLimit),
        routes: createLinkRoutes(context, createLinks(parts, uncounted)),
        canLogIn: async () => true,
        endLogins: removeAll,
        removeUser: removeAll,
      }
    },
  }
}
