import { Router } from 'express';
import { beginImpersonation, endImpersonation } from '#src/access/credentials/sessions/impersonate.ts';
import { replaceSession } from '#src/entrances/web/pages/enter.ts';
import { text } from '#src/entrances/web/pages/fields.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';

/** Where administrators begin to act as other users in their browser, and where they end it. */
export function impersonationPages({ ownForm }: Pages): Router {
  return Router()
    .post('/admin/users/:username/impersonate', ownForm(begin))
    .get('/-/impersonation/end', leadTo('/'))
    .post('/-/impersonation/end', ownForm(end));
}

async function begin(visit: Visit): Promise<void> {
  const { context, request, response, session } = visit;
  const userId = await beginImpersonation(context, text(request.params.username));
  await replaceSession(visit, userId, { impersonatorId: context.actor?.id, since: session?.createdAt });
  response.redirect(303, '/');
}

async function end(visit: Visit): Promise<void> {
  const { context, response, session } = visit;
  const { username = '' } = context.actor ?? {};
  const administrator = await endImpersonation(context);
  // Nothing is proved anew by this: the session is as old as the one before.
  await replaceSession(visit, administrator, { address: context.clientAddress, since: session?.createdAt });
  response.redirect(303, `/admin/users/${encodeURIComponent(username)}`);
}
