import { Router } from 'express';
import { currentSettings } from '#src/settings/current.ts';
import { accountPages } from '#src/web/pages/account.ts';
import { mailLinkPages } from '#src/web/pages/mail_links.ts';
import { pagesFor, serveStylesheet } from '#src/web/pages/page.ts';
import { stylesheet } from '#src/web/pages/render.ts';
import { signInPages } from '#src/web/pages/sign_in.ts';
import { signUpPages } from '#src/web/pages/sign_up.ts';
import { tokenPages } from '#src/web/pages/tokens.ts';
import type { PageOptions, Visit } from '#src/web/pages/visit.ts';

/** The pages for people. */
export function pages(options: PageOptions): Router {
  const made = pagesFor(options);
  return Router()
    .get(stylesheet.path, serveStylesheet)
    .get('/', made.page(home))
    .use(signInPages(made))
    .use(signUpPages(made))
    .use(mailLinkPages(made))
    .use(accountPages(made))
    .use(tokenPages(made));
}

/** What this server is; visitors go to `home_page_url` instead, where it is set. */
async function home(visit: Visit): Promise<void> {
  const { context, session, response, baseUrl } = visit;
  const { homePageUrl } = await currentSettings(context.db);
  if (!session && homePageUrl) return response.redirect(302, homePageUrl);
  visit.show('home', { title: 'Welcome', baseUrl });
}
