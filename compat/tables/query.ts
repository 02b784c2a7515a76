import { Kind } from 'graphql';
import { constant, firstOf, node, object, type } from '#compat/engine/entries.ts';
import type { GlobalId } from '#compat/engine/global_id.ts';
import { connection, listing } from '#compat/engine/pages.ts';
import type { CoreArgs, Given, Row } from '#compat/engine/table.ts';
import { filterOf, given } from '#compat/tables/arguments.ts';
import { runners } from '#compat/tables/projects.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { FullPath } from '#schema/refs.ts';

/** A record by its path alone: paths of digits are no numbers. */
const byPath: CoreArgs = { ref: ({ fullPath }) => new FullPath(String(fullPath)) };
const idOf = (core: string) => (args: Given) => toGlobalId(core, Number((args.id as GlobalId).key));
const isNested = ({ fullPath }: Given) => String(fullPath).includes('/');

const SNIPPETS: CoreArgs = {
  ids: ({ ids }) => (ids ?? []).map(({ key }: GlobalId) => toGlobalId('Snippet', Number(key))),
};

const byIds = ({ ids }: Given) => ids != null;

/** What a query may ask for. */
export const query = type('Query', 'Query', {
  currentUser: object('viewer', 'CurrentUser'),
  metadata: object('version', 'Metadata'),
  featureFlagEnabled: constant(false),
  group: object('group', 'Group', byPath),
  groups: connection('groups', 'Group', { allAvailable: ({ allAvailable }) => allAvailable ?? true }),
  issue: node('Issue', 'Issue', idOf('Issue')),
  mergeRequest: node('MergeRequest', 'MergeRequest', idOf('MergeRequest')),
  namespace: firstOf([
    { field: 'group', args: byPath, view: 'Namespace/Group' },
    { field: 'project', args: byPath, view: 'Namespace/Project', when: isNested },
    {
      field: 'user',
      args: { username: ({ fullPath }) => String(fullPath) },
      view: 'Namespace/User',
      when: (args) => !isNested(args),
    },
  ]),
  project: object('project', 'Project', byPath),
  projects: connection('projects', 'Project', {
    filter: ({ ids, fullPaths, membership, search, searchNamespaces }) =>
      filterOf({ ids: ids?.map(projectId), fullPaths, membership, search: search || undefined, searchNamespaces }),
  }),
  runner: object('runner', 'CiRunner', { id: ({ id }) => String((id as GlobalId).key) }),
  runners: connection('runners', 'CiRunner', { ...runners, all: () => true }),
  snippets: listing(
    {
      select: (site, inside) => {
        const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'Snippet' } } as const;
        const selectionSet = { kind: Kind.SELECTION_SET, selections: inside } as const;
        const byId = site.call('nodes', SNIPPETS, [{ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet }]);
        const own = site.call('ownSnippets', OWN, [site.call('nodes', null, inside)]);
        return [site.when(byIds, 'by id', [byId]), site.when((args) => !byIds(args), 'own', [own])];
      },
      items: (row, site) => {
        const found = row[site.keyOf('nodes', SNIPPETS)] as (Row | null)[] | undefined;
        const own = row[site.keyOf('ownSnippets', OWN)] as { nodes: Row[] } | null | undefined;
        return (found?.filter((one) => one !== null && Object.keys(one).length > 0) as Row[]) ?? own?.nodes ?? [];
      },
    },
    'Snippet',
  ),
  user: object('user', 'UserCore', { username: ({ username }) => given(username) }),
  users: connection('users', 'UserCore', {
    search: ({ search }) => search || undefined,
    usernames: ({ usernames }) => given(usernames),
  }),
});

const OWN: CoreArgs = { first: () => 100 };

/** A project's global ID, or its number alone, as the core graph has it. */
function projectId(id: string): string {
  const number = /^(?:gid:\/\/gitlab\/Project\/)?(\d{1,9})$/.exec(String(id))?.[1];
  return toGlobalId('Project', Number(number ?? 0));
}
