import type { RequestHandler } from 'express';
import { isKnownHost } from '#src/domain/sites/known_host.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Where proxies ask whether they may get a certificate for a host, such as Caddy with `on_demand_tls` (docs/pages-sites.md). */
export const ASK_PATH = '/-/pages/ask';

/** Answers 200 for hosts with sites, and 404 for others. */
export function askForHost(db: Db, settings: SiteSettings): RequestHandler {
  return (request, response, next) => {
    if (request.path !== ASK_PATH || request.method !== 'GET') return next();
    const domain = String(request.query.domain ?? '').toLowerCase();
    const isName = /^[a-z0-9_.-]{1,253}$/.test(domain);
    Promise.resolve(isName && isKnownHost(db, settings, domain)).then(
      (isKnown) =>
        void response
          .status(isKnown ? 200 : 404)
          .type('text/plain')
          .send(isKnown ? 'known\n' : 'unknown\n'),
      next,
    );
  };
}
