import { type GraphQLField, getNamedType, getNullableType, isListType, isNonNullType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const project = await world.project({ owner, visibility: 'private' });
await world.member(project, guest, 'guest');
const issue = await world.issue(project, owner);

type Field = GraphQLField<unknown, unknown>;
const named = ({ type }: Field) => getNamedType(type).name;
const isConnection = (field: Field) => named(field).endsWith('Connection');
const isList = (field: Field) => isListType(getNullableType(field.type)) || isConnection(field);

/** All fields of all types of answers, by `Type.field`. */
const fields: [string, Field][] = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
  .flatMap((type) =>
    Object.entries(isObjectType(type) ? type.getFields() : {}).map(([name, field]): [string, Field] => [
      `${type.name}.${name}`,
      field,
    ]),
  );

const namesOf = (some: [string, Field][]) => some.map(([name]) => name);

describe('The schema lets a part of an answer be missing', () => {
  it('in the result of every mutation', () => {
    const mutations = fields.filter(([name]) => name.startsWith('Mutation.'));
    expect(mutations.length).toBeGreaterThan(100);
    expect(namesOf(mutations.filter(([, { type }]) => isNonNullType(type)))).toEqual([]);
  });

  it('in every look-up of one thing: queries, and fields that take a key', () => {
    const lookUps = fields.filter(
      ([name, field]) =>
        !isList(field) &&
        (name.startsWith('Query.') || (field.args.length > 0 && !/^(Mutation|Subscription)\./.test(name))),
    );
    expect(namesOf(lookUps)).toEqual(
      expect.arrayContaining(['Query.project', 'Query.viewer', 'Project.issue', 'Repository.commit']),
    );
    expect(namesOf(lookUps.filter(([, { type }]) => isNonNullType(type)))).toEqual([]);
  });

  it('but in no list, whose items are there as well, apart from those of nodes', () => {
    // Null says of these what an empty list does not: that nothing is restricted, that there can be none, or that the caller may not
    // see them.
    const meaning = [
      'ApplicationSettings.domainBlacklist',
      'ApplicationSettings.domainWhitelist',
      'ApplicationSettings.restrictedVisibilityLevels',
      'Group.auditEvents',
      'Group.customAttributes',
      'Group.integrations',
      'Job.traceMatches',
      'JobMetrics.dead',
      'Note.suggestions',
      'Pipeline.variableKeys',
      'PipelineSchedule.variables',
      'Project.approvalRules',
      'Project.auditEvents',
      'Project.customAttributes',
      'Project.containerProtectionRepositoryRules',
      'Project.containerTagProtectionRules',
      'Project.featureFlagUserLists',
      'Project.featureFlags',
      'Project.integrations',
      'Project.terraformStates',
      'Project.pagesDeployments',
      'Project.packagesProtectionRules',
      'Project.pagesDomains',
      'Query.auditEvents',
      'Query.customAttributes',
      'Query.configuredSignInProviders',
      'Query.deprecatedUses',
      'Query.featureToggles',
      'Query.health',
      'Query.importSourceUsers',
      'Query.pagesDomains',
      'Query.bulkImportEntities',
      'Query.bulkImports',
      'Query.placeholderRequests',
      'Query.serverIntegrations',
      'Query.serviceAccountTokens',
      'Query.serviceAccounts',
      'Query.storages',
      'Query.viewerConnectedChats',
      'Query.viewerSessions',
      'Repository.commitActivity',
      'Repository.commitPreview',
      'Repository.files',
      'RepositoryFile.blame',
      'RepositoryFile.lineHistory',
      'RepositoryLocation.commits',
      'RepositoryLocation.entries',
      'Runner.tagList',
      'User.customAttributes',
      'User.identities',
      'User.scimIdentities',
    ];
    const lists = fields.filter(([, field]) => isList(field));
    expect(lists.length).toBeGreaterThan(100);
    const nullable = namesOf(lists.filter(([, { type }]) => !isNonNullType(type)));
    expect(nullable.filter((name) => !meaning.includes(name))).toEqual([]);
    const items = lists.flatMap(([name, { type }]) => {
      const list = getNullableType(type);
      return isListType(list) && !isNonNullType(list.ofType) ? [name] : [];
    });
    // It answers in the order of the IDs, with null for those that the caller may not see.
    expect(items).toEqual(['Query.nodes']);
  });
});

describe('An answer keeps', () => {
  it('what was found beside what is missing', LONG, async () => {
    const { body } = await world.graphql(
      `{ found: project(ref: ${project.id}) { name issue(iid: ${issue.iid}) { title } missing: issue(iid: 999) { title } }
         missing: project(ref: 999999999) { name } }`,
      {},
      owner,
    );
    expect(body.data).toEqual({
      found: { name: project.name, issue: { title: issue.title }, missing: null },
      missing: null,
    });
    const places = body.errors.map(
      ({ path, extensions: { code } }: { path: string[]; extensions: { code: string } }) => [code, path.join('.')],
    );
    expect(places.sort()).toEqual([
      ['NOT_FOUND', 'found.missing'],
      ['NOT_FOUND', 'missing'],
    ]);
  });

  it('the project whose repository the caller may not read', async () => {
    const { body } = await world.graphql(
      `{ project(ref: ${project.id}) { name repository { branches { nodes { name } } } } }`,
      {},
      guest,
    );
    expect(body.data).toEqual({ project: { name: project.name, repository: null } });
    expect(body.errors).toMatchObject([{ path: ['project', 'repository', 'branches'] }]);
  });

  it('mutations that were done beside one that failed', async () => {
    const create = (title: string) =>
      `createLabel(input: { project: ${project.id}, title: "${title}", color: "red" }) { label { title } }`;
    const { status, body } = await world.graphql(
      `mutation { first: ${create('kept')} again: ${create('kept')} last: ${create('other')} }`,
      {},
      owner,
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({
      first: { label: { title: 'kept' } },
      again: null,
      last: { label: { title: 'other' } },
    });
    expect(body.errors).toMatchObject([{ path: ['again'], extensions: { code: 'CONFLICT' } }]);
    expect(await world.db.label.count({ where: { projectId: project.id } })).toBe(2);
  });
});
