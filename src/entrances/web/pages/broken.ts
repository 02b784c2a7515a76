import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import { showError, wantsPage } from '#pages/engine/page.ts';
import { unavailable } from '#pages/engine/unavailable.ts';
import { beginVisit, type PageOptions } from '#pages/engine/visit.ts';
import { DomainError } from '#src/platform/errors.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/**
 * The handler for errors outside of all others: unreadable requests, such as paths with broken escapes
 * and forms that are too large, temporary failures, and bugs. It does not reveal where in the program they happened.
 */
export function broken(options: PageOptions): ErrorRequestHandler {
  return async (error, request, response, _next) => {
    const status = statusOf(error);
    const busy = error instanceof DomainError && error.code === 'UNAVAILABLE';
    if (status === 500 && !busy) options.report(error, request);
    if (response.headersSent) return void response.destroy();
    const refusal = busy ? error : status === 500 ? transientFailure(error)?.refusal : undefined;
    if (refusal) return unavailable(options, refusal, request, response);
    const visit = wantsPage(request) ? await beginVisit(options, request, response).catch(() => null) : null;
    if (!visit) return void response.status(status).json({ error: `${status} ${STATUS_CODES[status]}` });
    if (status === 500)
      showError(
        visit,
        500,
        visit.texts.t('Something went wrong'),
        visit.texts.t('An unexpected error occurred on the server.'),
      );
    else
      showError(
        visit,
        status,
        visit.texts.t('Bad request'),
        visit.texts.t('The URL or the submitted form is malformed or too large.'),
      );
  };
}

function statusOf(error: unknown): number {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
