import { Router } from 'express';
import { text } from '#pages/engine/fields.ts';
import { type Pages, showError } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import {
  readUnsubscribeToken,
  UNSUBSCRIBE_PATH,
  type Unsubscription,
  unsubscribe,
  unsubscribedName,
} from '#src/domain/notifications/mailing/unsubscribe.ts';

/**
 * The page that unsubscribes from mail about an issue or merge request. Nothing happens until its button is pressed, as mail
 * scanners follow links; mail clients press it when their user says so (RFC 8058). The token in the URL is the only
 * authorization: the body of the request and its origin do not matter.
 */
export function unsubscribePages({ page }: Pages): Router {
  return Router()
    .get(UNSUBSCRIBE_PATH, page(withToken(false)))
    .post(UNSUBSCRIBE_PATH, page(withToken(true)));
}

function withToken(acts: boolean): (visit: Visit) => Promise<void> {
  return async (visit) => {
    const { request, context } = visit;
    const token = text(request.query.token);
    const meant: Unsubscription | null = readUnsubscribeToken(context.secret, token);
    if (!meant)
      return showError(
        visit,
        404,
        visit.texts.t('This link is not valid'),
        visit.texts.t('Open the link in the email again.'),
      );
    if (acts) await unsubscribe(context.db, meant);
    const name = await unsubscribedName(context.db, meant);
    const action = `${UNSUBSCRIBE_PATH}?token=${encodeURIComponent(token)}`;
    const title = acts ? visit.texts.t('Unsubscribed') : visit.texts.t('Unsubscribe');
    visit.show('unsubscribe', { title }, { name, action, isDone: acts });
  };
}
