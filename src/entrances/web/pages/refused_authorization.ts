import { showError, wantsPage } from '#pages/engine/page.ts';
import { unavailable } from '#pages/engine/unavailable.ts';
import { beginVisit, type PageOptions } from '#pages/engine/visit.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
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
