import { Router } from 'express';
import { replaceSession } from '#pages/engine/enter.ts';
import { text } from '#pages/engine/fields.ts';
import { leadTo, type Pages } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { beginImpersonation, endImpersonation } from '#src/access/credentials/sessions/impersonate.ts';

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
