import { type GraphQLInputObjectType, getNullableType, isInputObjectType } from 'graphql';
import { snakeCase } from '#rest/engine/coerce.ts';
import { pathParameters, type Route } from '#rest/engine/route.ts';

/** The field of an input for who owns the record of a path, by how the path begins. */
const OWNERS: Readonly<Record<string, string>> = { projects: 'project', groups: 'group', users: 'user_id' };

/** The field of a reference for a kind of record, by its segment in a path. */
const SUBJECTS: Readonly<Record<string, string>> = {
  issues: 'issue',
  merge_requests: 'merge_request',
  snippets: 'snippet',
};

/** What the REST API has nowhere: marks of clients, and what pages ask for before something is done. */
const NOWHERE = ['client_mutation_id', 'confirmation'];

/**
 * A route with the names of the input fields that its path fills by rule: `:id` is the project, group or user; `on` is the issue, merge
 * request, snippet or note; any other is the field of its name, or else the `iid` or the `id`. What is in a project is in no group, and
 * the other way round, and what is below `/user` is the caller's, so that such fields are no parameters.
 */
export function withPath(route: Route, input: GraphQLInputObjectType): Route {
  const fields = Object.keys(input.getFields()).map(snakeCase);
  const names: Record<string, string> = {};
  const given = Object.values(route.names ?? {});
  const [, kind = ''] = /^\/(\w+)\/:id(?:\/|$)/.exec(route.path) ?? [];
  const owner = OWNERS[kind];
  const subject = fields.includes('on') ? subjectOf(route.path, input) : {};
  const isOwned = owner !== undefined && (fields.includes(owner) || Object.values(subject).includes('id'));
  if (isOwned && fields.includes(owner)) names[owner] = 'id';
  Object.assign(names, subject);
  const known = [...given, ...Object.values(names)];
  const others = pathParameters(route).filter((name) => !known.includes(name) && !fields.includes(name));
  for (const name of others.reverse()) {
    const field = name.endsWith('iid') ? 'iid' : 'id';
    if (fields.includes(field) && names[field] === undefined) names[field] = name;
  }
  const elsewhere = ['project', 'group'].filter((name) => name !== owner && !Object.hasOwn(route.names ?? {}, name));
  return {
    ...route,
    names: { ...names, ...route.names },
    hidden: [
      ...(route.hidden ?? []),
      ...(isOwned ? elsewhere : []),
      ...Object.keys(route.preset ?? {}).map(snakeCase),
      ...(/^\/user\//.test(route.path) ? [OWNERS.users ?? ''] : []),
      ...NOWHERE,
    ],
  };
}

/** What the path fills of the field `on` of an input. */
function subjectOf(path: string, input: GraphQLInputObjectType): Record<string, string> {
  const [, segment = '', parameter = ''] = /^\/projects\/:id\/(\w+)\/:(\w+)/.exec(path) ?? [];
  const field = SUBJECTS[segment];
  if (field === undefined) return {};
  const on = getNullableType(input.getFields().on?.type);
  const [, note] = /\/notes\/:(\w+)\//.exec(path) ?? [];
  const isOnNote = note !== undefined && isInputObjectType(on) && on.getFields().note !== undefined;
  const at = isOnNote ? `on[note][on][${field}]` : `on[${field}]`;
  return {
    ...(isOnNote && { 'on[note][id]': note }),
    [`${at}[project]`]: 'id',
    [`${at}[${parameter.endsWith('iid') ? 'iid' : 'id'}]`]: parameter,
  };
}
