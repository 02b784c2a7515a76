import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { showError, wantsPage } from '#src/entrances/web/pages/page.ts';
import { unavailable } from '#src/entrances/web/pages/unavailable.ts';
import { beginVisit, type PageOptions } from '#src/entrances/web/pages/visit.ts';
import { Unavailable } from '#src/platform/errors.ts';

/** The page that says why an application cannot be authorized. It does not use the database while that is unavailable. */
export function refusedAuthorization(options: PageOptions): OAuthOptions['showRefusal'] {
  return async (request, response, { status, message }) => {
    if (!wantsPage(request)) return false;
    if (status === 503) await unavailable(options, new Unavailable(message), request, response);
    else {
      const visit = await beginVisit(options, request, response);
      showError(visit, status, visit.texts.t('The application cannot be authorized'), message);
    }
    return true;
  };
}
