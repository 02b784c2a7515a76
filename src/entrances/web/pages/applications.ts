import { Router } from 'express';
import { inWords, SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import { listAuthorized, revokeAuthorized } from '#src/domain/applications/authorized.ts';
import { APPLICATION, type ApplicationRow, findApplication, listApplications } from '#src/domain/applications/find.ts';
import {
  deleteApplication,
  mayRegister,
  registerApplication,
  renewSecret,
  updateApplication,
} from '#src/domain/applications/save.ts';
import { hasConfirmed, isConfirmed, named } from '#src/entrances/web/pages/asking.ts';
import type { Problems } from '#src/entrances/web/pages/fields.ts';
import { leadSaying } from '#src/entrances/web/pages/notices.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { type FieldErrors, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { onlyOne } from '#src/platform/records/parents.ts';

const HOME = '/profile/applications';

/** The applications that the user registered or authorized. */
export function applicationPages({ own, ownForm }: Pages): Router {
  return Router()
    .get(HOME, own(list))
    .post(HOME, ownForm(register))
    .get(`${HOME}/new`, own(newForm))
    .get(`${HOME}/revoke`, leadTo(HOME))
    .post(`${HOME}/revoke`, ownForm(revoke))
    .get(`${HOME}/:id`, own(show))
    .post(`${HOME}/:id`, ownForm(update))
    .get(`${HOME}/:id/edit`, own(editForm))
    .get(`${HOME}/:id/secret`, own(confirmRenewal))
    .post(`${HOME}/:id/secret`, ownForm(renew))
    .get(`${HOME}/:id/delete`, own(confirmDeletion))
    .post(`${HOME}/:id/delete`, ownForm(remove));
}

async function list(visit: Visit): Promise<void> {
  const { context, session } = visit;
  const userId = session?.actor.id ?? 0;
  const page = { limit: 500, offset: 0, withTotal: false };
  const [registered, authorized] = [
    onlyOne(await listApplications(context, [userId], page, APPLICATION)),
    await listAuthorized(context, userId, page),
  ];
  visit.show(
    'applications',
    { title: visit.texts.t('Applications') },
    {
      applications: registered.nodes,
      authorized: authorized.nodes.map((row) => ({ ...row, scopes: row.scopes.map(inWords), since: dayOf(row.since) })),
      mayRegister: await mayRegister(context),
    },
  );
}

async function newForm(visit: Visit): Promise<void> {
  if (!(await mayRegister(visit.context)))
    throw new Forbidden('Only administrators can register applications on this server');
  showForm(visit, { name: '', redirectUris: [], scopes: ['api'], confidential: true }, {});
}

async function register(visit: Visit): Promise<void> {
  const values = { ...formOf(visit), confidential: visit.request.body.confidential === 'yes' };
  await saving(visit, values, null, async () => {
    const application = await registerApplication(visit.context, values);
    showOne(visit, application);
  });
}

async function show(visit: Visit): Promise<void> {
  showOne(visit, await found(visit));
}

async function editForm(visit: Visit): Promise<void> {
  const application = await found(visit);
  showForm(visit, application, {}, application.id);
}

async function update(visit: Visit): Promise<void> {
  const before = await found(visit);
  const values = { ...formOf(visit), confidential: before.confidential };
  await saving(visit, values, before.id, async () => {
    await updateApplication(visit.context, before.id, values);
    leadSaying(visit, `${HOME}/${before.id}`, 'application_saved');
  });
}

async function confirmRenewal(visit: Visit): Promise<void> {
  const { id, name } = await found(visit);
  const { t } = visit.texts;
  visit.show(
    'application_confirm',
    { title: t('Renew the secret of {name}', { name }) },
    {
      message: t('The current secret stops working immediately. Update {name} wherever it runs.', { name }),
      action: `${HOME}/${id}/secret`,
      button: t('Renew secret'),
      back: `${HOME}/${id}`,
    },
  );
}

async function renew(visit: Visit): Promise<void> {
  if (!isConfirmed(visit.request.body)) return confirmRenewal(visit);
  const { id } = await found(visit);
  showOne(visit, await renewSecret(visit.context, id));
}

async function confirmDeletion(visit: Visit): Promise<void> {
  const { id, name } = await found(visit);
  const { t } = visit.texts;
  visit.show(
    'application_confirm',
    { title: t('Delete {name}', { name }) },
    {
      message: t(
        '{name} immediately loses access to the accounts of everyone who authorized it. This cannot be undone.',
        { name },
      ),
      action: `${HOME}/${id}/delete`,
      button: t('Delete application'),
      back: `${HOME}/${id}`,
    },
  );
}

async function remove(visit: Visit): Promise<void> {
  if (!isConfirmed(visit.request.body)) return confirmDeletion(visit);
  await deleteApplication(visit.context, (await found(visit)).id, APPLICATION);
  leadSaying(visit, HOME, 'application_deleted');
}

async function revoke(visit: Visit): Promise<void> {
  const { t } = visit.texts;
  const question = {
    heading: t('Revoke the access of {name}?', { name: named(visit.request.body) }),
    says: [t('It can no longer do anything in your name. It asks you again when you use it.')],
    button: t('Revoke access'),
    back: HOME,
  };
  if (!hasConfirmed(visit, question)) return;
  const given = text(visit.request.body.application);
  await revokeAuthorized(visit.context, given === '' ? null : idOf(given));
  leadSaying(visit, HOME, 'application_revoked');
}

interface Values {
  name: string;
  redirectUris: readonly string[];
  scopes: readonly string[];
  confidential: boolean;
}

/** Saves, or shows the form again with its errors. */
async function saving(visit: Visit, values: Values, id: number | null, save: () => Promise<void>): Promise<void> {
  try {
    await save();
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    showForm(visit, values, error.fields, id, 422);
  }
}

/** What the form of an application shows. */
export interface ShownForm {
  action: string;
  back: string;
  isNew: boolean;
  values: Values;
  problems: Problems;
  scopes: { name: string; words: string }[];
}

function showForm(visit: Visit, values: Values, errors: FieldErrors, id: number | null = null, status = 200): void {
  const { t } = visit.texts;
  const problems = Object.fromEntries(Object.entries(errors).map(([field, messages]) => [field, messages.join(', ')]));
  const shown: ShownForm = {
    action: id === null ? HOME : `${HOME}/${id}`,
    back: id === null ? HOME : `${HOME}/${id}`,
    isNew: id === null,
    values,
    problems,
    scopes: SCOPE_NAMES.map((name) => ({ name, words: inWords(name) })),
  };
  const changing = values.name ? t('Change {name}', { name: values.name }) : t('Change the application');
  visit.show(
    'application_form',
    { title: id === null ? t('Register an application') : changing },
    { ...shown },
    status,
  );
}

function showOne(visit: Visit, application: ApplicationRow): void {
  visit.show(
    'application',
    { title: application.name },
    {
      application: { ...application, createdAt: dayOf(application.createdAt) },
      secret: application.secret ?? null,
      at: `${HOME}/${application.id}`,
    },
  );
}

function found({ context, request }: Visit): Promise<ApplicationRow> {
  return findApplication(context, idOf(text(request.params.id)), APPLICATION);
}

/** Throws NotFound for an invalid ID. */
function idOf(given: string): number {
  if (!/^\d{1,9}$/.test(given)) throw new NotFound('Application');
  return Number(given);
}

function formOf({ request }: Visit): Omit<Values, 'confidential'> {
  const { name, redirect_uris: uris, scopes } = request.body;
  return {
    name: text(name),
    redirectUris: text(uris)
      .split('\n')
      .map((uri) => uri.trim()),
    scopes: [scopes].flat().filter((scope) => typeof scope === 'string'),
  };
}

function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
