import { Router } from 'express';
import { text } from '#pages/engine/fields.ts';
import { byOneself, pagesFor } from '#pages/engine/page.ts';
import type { PageOptions, Visit } from '#pages/engine/visit.ts';
import { allowDevice, denyDevice, findDeviceRequest } from '#src/access/oauth/device.ts';
import type { LazyProvider } from '#src/access/oauth/lazy.ts';
import { inWords } from '#src/access/permissions/scopes.ts';
import { countUses } from '#src/access/sign_in/attempts.ts';
import { ownerInWords } from '#src/entrances/web/pages/consent.ts';

const PATH = '/oauth/device';
/** How many codes a user may try in an hour. */
const TRIES = 30;
const HOUR = 3600;
const UNKNOWN = 'is wrong, was used, or has expired. Ask the device for a new one';

/** The pages where users let applications in that run where there is no browser (RFC 8628). */
export function devicePages(options: PageOptions, lazy: LazyProvider): Router {
  const { own, ownForm } = pagesFor(options);
  return Router()
    .get(PATH, own(byOneself(showForm)))
    .post(PATH, ownForm(byOneself(ask)))
    .post(`${PATH}/decision`, ownForm(byOneself((visit) => decide(lazy, visit))));
}

function showForm(visit: Visit): void {
  show(visit, text(visit.request.query.user_code));
}

function show(visit: Visit, code: string, problem?: string): void {
  const shown = {
    values: { user_code: code },
    problems: problem ? { user_code: problem } : {},
  };
  visit.show('device', { title: visit.texts.t('Connect a device') }, { ...shown, done: null }, problem ? 422 : 200);
}

/** Asks whether the application of the code may come in. */
async function ask(visit: Visit): Promise<void> {
  const { context, session, request } = visit;
  const code = text(request.body.user_code).trim();
  await countUses(context.db, HOUR, { [`device codes ${session?.actor.id}`]: TRIES });
  const found = await findDeviceRequest(context.db, code);
  const application =
    found &&
    (await context.db.oAuthApplication.findUnique({
      where: { uid: found.clientId },
      select: { name: true, owner: { select: { name: true, username: true } } },
    }));
  if (!found || !application) return show(visit, code, UNKNOWN);
  visit.show(
    'device_consent',
    { title: visit.texts.t('Authorize {name}', { name: application.name }) },
    {
      name: application.name,
      by: ownerInWords(application),
      scopes: found.scopes.map(inWords),
      code,
      action: `${PATH}/decision`,
    },
  );
}

async function decide(lazy: LazyProvider, visit: Visit): Promise<void> {
  const { context, session, request } = visit;
  const code = text(request.body.user_code);
  const isAllowed = request.body.decision === 'approve';
  const who = { userId: session?.actor.id ?? 0, age: session?.age ?? 0 };
  const decided = isAllowed ? await allowDevice(lazy, context.db, code, who) : await denyDevice(context.db, code);
  if (!decided) return show(visit, '', UNKNOWN);
  const done = isAllowed
    ? visit.texts.t('The application may now access your account. Go back to your device.')
    : visit.texts.t('The application was not let in. You can close this page.');
  visit.show('device', { title: visit.texts.t('Connect a device') }, { values: { user_code: '' }, problems: {}, done });
}
