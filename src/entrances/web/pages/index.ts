import { type NextFunction, type RequestHandler, Router } from 'express';
import { Assets } from '#pages/engine/asset.ts';
import { notFound, type Pages, pagesFor, type TablePages } from '#pages/engine/page.ts';
import { ICONS, SCRIPT, STYLESHEET } from '#pages/engine/shared_assets.ts';
import type { PageOptions, Visit } from '#pages/engine/visit.ts';
import { serverMessages } from '#src/domain/notifications/server_messages/shown.ts';
import { broadcastForms } from '#src/entrances/web/pages/appearance.ts';
import { documentPages } from '#src/entrances/web/pages/documents.ts';
import { examplePages } from '#src/entrances/web/pages/examples.ts';
import { favicon } from '#src/entrances/web/pages/favicon.ts';
import { helpPages } from '#src/entrances/web/pages/help.ts';
import { impersonationPages } from '#src/entrances/web/pages/impersonation.ts';
import { invitationPages } from '#src/entrances/web/pages/invitations.ts';
import { diagramPolicy, LATER, laterAssets } from '#src/entrances/web/pages/later_assets.ts';
import { mailLinkPages } from '#src/entrances/web/pages/mail_links.ts';
import { passkeyPages } from '#src/entrances/web/pages/passkeys.ts';
import { signInPages } from '#src/entrances/web/pages/sign_in.ts';
import { signInElsewherePages } from '#src/entrances/web/pages/sign_in_elsewhere.ts';
import { signUpPages } from '#src/entrances/web/pages/sign_up.ts';
import { siteSignInPages } from '#src/entrances/web/pages/site_sign_in.ts';
import { unsubscribePages } from '#src/entrances/web/pages/unsubscribe.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** The HTML pages; `graphiql` handles the URL of GraphQL, `missing` unknown paths. */
export interface PageHandlers {
  /** The options for pages elsewhere. */
  options: PageOptions;
  router: Router;
  graphiql: RequestHandler;
  missing: RequestHandler;
}

/** @param rows makes the pages of the table, whose paths are the most general */
export function pages(
  given: Omit<PageOptions, 'stylesheet' | 'script' | 'later' | 'messages'>,
  rows: (made: Pages) => TablePages,
): PageHandlers {
  const assets = new Assets();
  const options = {
    ...given,
    messages: serverMessages,
    stylesheet: () => assets.path(STYLESHEET),
    script: () => assets.path(SCRIPT),
    later: () => laterAssets(assets),
  };
  const made = pagesFor(options);
  const table = rows(made);
  const documents = documentPages(made, assets);
  const router = Router()
    .get('/', made.page(home))
    .use(signInPages(made))
    .use(signInElsewherePages(made, table))
    .use(passkeyPages(made, table))
    .use(signUpPages(made))
    .use(mailLinkPages(made))
    .use(invitationPages(made))
    .use(unsubscribePages(made))
    .use(broadcastForms(made))
    .use(impersonationPages(made))
    .use(siteSignInPages(made))
    .use(documents.router)
    .use(diagramPolicy)
    .use(helpPages(made))
    .use(favicon())
    .use(assets.router([STYLESHEET, SCRIPT, ICONS, ...LATER]))
    .use(given.examples ? examplePages(made) : Router())
    .use(table.router);
  return { options, router, graphiql: documents.graphiql, missing: notFound(options) };
}

/** Where users begin who chose so. */
const FIRST = {
  todos: '/dashboard/todos',
  issues: '/dashboard/issues',
  merge_requests: '/dashboard/merge_requests',
  explore: '/explore',
} as const;

/** Where visitors are redirected if `home_page_url` is set, and users who chose so. The home pages of both are among the rows. */
async function home(visit: Visit, next: NextFunction): Promise<void> {
  const { context, session, response } = visit;
  if (session) return session.firstPage === 'start' ? next() : response.redirect(302, FIRST[session.firstPage]);
  const { homePageUrl } = await currentSettings(context.db);
  if (homePageUrl) return response.redirect(302, homePageUrl);
  next();
}
