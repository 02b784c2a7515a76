import { type ServeOptions, servePages } from '#pages/engine/serve.ts';
import type { PageOptions } from '#pages/engine/visit.ts';
import { rows } from '#pages/index.ts';
import { sendRaw } from '#rest/engine/raw.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { findEnrolment } from '#src/access/sign_in/two_factor/enable.ts';
import { usesApp } from '#src/access/sign_in/two_factor/left.ts';
import { mayRegister } from '#src/domain/applications/save.ts';
import { largestImport } from '#src/domain/project_archives/import_request.ts';
import { siteUrlAt } from '#src/domain/sites/sign_in.ts';
import { passwordChangeErrors } from '#src/domain/users/change_password.ts';
import type { Entrance } from '#src/entrances/server/entrance.ts';
import { readContent } from '#src/entrances/server/readers.ts';
import { pages } from '#src/entrances/web/pages/index.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

/** Makes the pages; `app.ts` says what comes before and behind them. */
export function mountPages(entrance: Entrance, examples?: boolean): ReturnType<typeof pages> {
  const { stores, baseUrl, report, budget, turns, throttle, sshAddress, identify, domainContext, contextAt } = entrance;
  const options: ServeOptions = {
    schema,
    execute: async (document, variableValues, { context, baseUrl: url, request }) => {
      const contextValue = await contextAt(context, url);
      const purpose = request.method === 'POST' ? null : 'read';
      const execution = { schema, document, variableValues, contextValue, isRepeated: true, purpose } as const;
      return turns.run(callerOf(context.actor, request.ip ?? null), () => executeWithin(execution, report, budget));
    },
    send: async (content, found, { context, request, response }) =>
      sendRaw(await readContent(content, context, found), request, response),
    identify: async (visit) => {
      const { session, request } = visit;
      const actor = session ? null : await identify(request, request.query);
      return actor ? { ...visit, context: domainContext(actor, request) } : visit;
    },
    needed: {
      sendsMail: ({ context }) => sendsMail(context.db),
      mayRegister: ({ context }) => mayRegister(context),
      usesApp: ({ context }) => usesApp(context.db, requireActor(context).id),
      enrolment: ({ context }) => findEnrolment(context),
      largestArchive: () => largestImport(stores),
    },
    checks: {
      passwordChange: ({ context }, variables, more) => {
        const text = (name: string) => String(variables[name] ?? '');
        const change = { currentPassword: text('current_password'), newPassword: text('new_password') };
        return passwordChangeErrors(context, { ...change, code: text('password_code') }, { more });
      },
    },
  };
  const countVisit: PageOptions['throttle'] = (actor, request, response) => throttle.web(actor, request, response);
  const given = { contextOf: domainContext, baseUrl, report, sshAddress, throttle: countVisit, examples };
  const found = {
    siteUrlAt: (path: unknown) => siteUrlAt(stores, path),
    largestArchive: () => largestImport(stores),
  };
  return pages({ ...given, ...found }, (made) => servePages(rows, made, options));
}
