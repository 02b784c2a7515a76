import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { OWNER_REF } from '#schema/places/owner_ref.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { UNFILTERED, UNORDERED } from './list_reasons.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = types.filter(
  (type): type is GraphQLObjectType => isObjectType(type) && type !== schema.getSubscriptionType(),
);
const fields = objects.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
const isNode = (type: GraphQLNamedType) =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');

/** All types of an interface have its field under one type, which was released. */
const isOfWebPage = (type: GraphQLObjectType, field: string) =>
  field === 'webUrl' && type.getInterfaces().some(({ name }) => name === 'WebPage');

const lists = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'));
/** The types that connections have records of, those of a union or interface by themselves. */
const listed = new Map(
  objects
    .filter(({ name }) => name.endsWith('Edge'))
    .flatMap((edge) => {
      const field = edge.getFields().node;
      if (!field) return [];
      const node = getNamedType(field.type);
      const possible = isUnionType(node) || isInterfaceType(node) ? schema.getPossibleTypes(node) : [node];
      return possible.map((type) => [type.name, type as GraphQLObjectType] as const);
    }),
);

/** What has no identity of its own, and why. */
const VALUES: Readonly<Record<string, string>> = {
  AuthorizedApplication: 'What a user allows an application, which have IDs',
  CommitRef: 'The name of a branch or tag, which have IDs',
  Contributor: 'A sum over the commits of an address',
  FeatureFlagScope: 'A part of a strategy, which is changed with its flag',
  FeatureFlagStrategy: 'A part of a flag, which is changed with it',
  FileDiff: 'A part of a comparison, of which there are as many as pairs of commits',
  FoundCode: 'A hit of a search: lines of a file',
  FoundFile: 'A hit of a search: lines of a file',
  FoundWikiFile: 'A hit of a search: lines of a file of a wiki',
  ProjectStar: 'A project and a user, which have IDs',
  ProjectTemplateName: 'The name of a template, by which it is read',
  ProtectionLevel: 'A part of a rule; those of branches and of tags are numbered apart',
  UserActivity: 'The day of a user, who has an ID',
  WikiCommit: 'A commit as one page has it, by the slug that the page had',
};

/** Numbers that stand alone, and why. */
const NUMBERS: Readonly<Record<string, string>> = {
  'BulkImportEntity.namespaceId': 'What was imported may be moved out of sight',
  'BulkImportEntity.projectId': 'What was imported may be moved out of sight',
  'AllowJobTokensPayload.targetId': 'That of the input, as the REST API answers it',
  'AuthorizedApplication.applicationDatabaseId': '`application` is beside it',
  'CommitSignature.gpgSubkeyId': 'A subkey of `gpgKey`',
  'Discussion.noteableId': '`subject` is beside it',
  'DisallowJobTokensPayload.targetId': 'That of the input, as the REST API answers it',
  'EventConnection.newestId': 'A place in the feed, for `upTo`',
  'LinkForkPayload.forkedFromProjectId': '`project.forkedFrom` is that project',
  'LinkForkPayload.forkedToProjectId': '`project` is that project',
  'Note.noteableId': '`subject` is beside it',
  'PlaceholderTable.namespaceId': 'That of the namespace that was asked with',
  'ProtectionLevel.groupId': 'Always null',
  'ProtectionLevel.userId': 'Always null',
  'UpdateJobTokenScopePayload.targetId': 'That of the input, as the REST API answers it',
  'User.colorSchemeId': 'A number for clients, of no record',
  'User.themeId': 'A number for clients, of no record',
};

/** Inputs that name a record by its ID and need a place beside it, and why. */
const PLACES: Readonly<Record<string, string>> = {
  'AddGroupMemberInput.userId': 'Who becomes a member of the group',
  'AddProjectMemberInput.userId': 'Who becomes a member of the project',
  'ApproveGroupAccessRequestInput.userId': 'Who asked, of the requests of the group',
  'ApproveProjectAccessRequestInput.userId': 'Who asked, of the requests of the project',
  'DeleteDeployKeyInput.id': 'Taken out of one of the projects that have it',
  'DeleteMergeRequestApprovalRuleInput.id': 'A rule of the project, which the merge request then has not',
  'DenyGroupAccessRequestInput.userId': 'Who asked, of the requests of the group',
  'DenyProjectAccessRequestInput.userId': 'Who asked, of the requests of the project',
  'DisableRunnerInput.runner': 'Taken out of one of its projects',
  'EnableDeployKeyInput.id': 'A further project for it',
  'EnableRunnerInput.runner': 'A further project for it',
  'ProjectSnippetReference.id': '`NoteableReference.id` names it alone',
  'RemoveGroupMemberInput.userId': 'A member of the group',
  'RemoveProjectMemberInput.userId': 'A member of the project',
  'RequestReviewAgainInput.userId': 'A reviewer of the merge request',
  'UpdateGroupMemberInput.userId': 'A member of the group',
  'UpdateMergeRequestApprovalRuleInput.id': 'A rule of the project, changed for the merge request alone',
  'UpdateProjectMemberInput.userId': 'A member of the project',
};

/** The IDs of records that inputs need a place beside: a project, a group, or what a record is numbered or named in. */
const idsBesidePlaces = () =>
  types.filter(isInputObjectType).flatMap((type) => {
    const needed = Object.values(type.getFields()).filter(isRequiredInputField);
    const isPlace = needed.some(
      (field) => /^(?:Project|Group|Namespace|Owner)Ref$/.test(getNamedType(field.type).name) || field.name === 'iid',
    );
    const ids = needed.filter(
      (field) => getNamedType(field.type).name === 'ID' && !isListType(getNullableType(field.type)),
    );
    return isPlace ? ids.map(({ name }) => `${type.name}.${name}`) : [];
  });

/** What clients stumble over: how often it is there, which may only get less. Whoever mends one lowers the number. */
const RATCHETS: Record<string, { most: number; found: () => string[] }> = {
  'records of lists without an id': {
    most: 0,
    found: () =>
      [...listed.values()].flatMap((type) => ('id' in type.getFields() || VALUES[type.name] ? [] : type.name)),
  },
  'types with an id that are no Node': {
    most: 0,
    found: () =>
      objects.flatMap((type) => (type.getFields().id && !isNode(type) && !VALUES[type.name] ? type.name : [])),
  },
  'numeric IDs of other records without the record beside them': {
    most: 0,
    found: () =>
      fields.flatMap(({ type, field }) => {
        const name = /^(\w+)Id$/.exec(field.name)?.[1];
        const isNumber = name && getNamedType(field.type).name === 'Int' && name !== 'database';
        const place = `${type.name}.${field.name}`;
        return isNumber && !type.getFields()[name] && !NUMBERS[place] ? place : [];
      }),
  },
  // Those that share, unshare and transfer a project take both: a project and a group. Custom attributes are of users, too.
  'inputs that take a project or a group and have no @oneOf for it': {
    most: 5,
    found: () =>
      types.filter(isInputObjectType).flatMap((type) => {
        const { project, group, owner } = type.getFields();
        const takesOwner = owner && getNamedType(owner.type).name === OWNER_REF;
        return project && group && !type.isOneOf && !takesOwner ? type.name : [];
      }),
  },
  'inputs and arguments without a description': {
    most: 0,
    found: () => [
      ...fields.flatMap(({ type, field }) =>
        field.args.filter(({ description }) => !description).map(({ name }) => `${type.name}.${field.name}(${name}:)`),
      ),
      ...types.filter(isInputObjectType).flatMap((type) =>
        Object.values(type.getFields())
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${name}`),
      ),
    ],
  },
  'types, fields and values without a description': {
    most: 0,
    found: () => [
      ...types.filter(({ description }) => !description).map(({ name }) => name),
      ...fields.filter(({ field }) => !field.description).map(({ type, field }) => `${type.name}.${field.name}`),
      ...types.filter(isEnumType).flatMap((type) =>
        type
          .getValues()
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${name}`),
      ),
    ],
  },
};

it.each(Object.entries(RATCHETS))('%s get fewer', (name, { most, found }) => {
  const all = found();
  expect(all.length, `${name}: ${all.join(' ')}`).toBeLessThanOrEqual(most);
});

it('A global ID needs no place beside it, but where the place is what the change is about', () => {
  expect(idsBesidePlaces().sort()).toEqual(Object.keys(PLACES));
});

/** The scalars of fields by their names; those of 0.2.0 keep the types that they were released with. */
const SCALARS: readonly (readonly [name: RegExp, plain: string, scalar: string])[] = [
  [/(?:^u|U)rl$/, 'String', 'URL'],
  [/(?:^h|H)tml$/, 'String', 'HTML'],
  [/(?:^s|S)ha$/, 'String', 'Sha'],
  [/(?:^s|S)ize$/, 'Int', 'Long'],
  [/(?:expires|expired|created|updated)At$/, 'String', 'DateTime'],
];

const MEGABYTES = 'In megabytes, as in the settings of the server';
/** Newer fields that are no such scalars, and why. */
const PLAIN: Readonly<Record<string, string>> = {
  'ApplicationSettings.maxPagesSize': MEGABYTES,
  'BulkImportConfigurationInput.url': 'May be the name of a host alone',
  'CreatePushRuleInput.maxFileSize': MEGABYTES,
  'ExportUploadInput.url': 'Checked for what uploads can be sent to, in the words of the REST API',
  'Group.maxArtifactsSize': MEGABYTES,
  'ImportProjectFromServerInput.url': 'May be the name of a host alone',
  'Project.maxArtifactsSize': MEGABYTES,
  'PushRule.maxFileSize': MEGABYTES,
  'UpdateApplicationSettingsInput.maxPagesSize': MEGABYTES,
  'UpdateGroupInput.maxArtifactsSize': MEGABYTES,
  'UpdateProjectInput.maxArtifactsSize': MEGABYTES,
  'UpdatePushRuleInput.maxFileSize': MEGABYTES,
};

it('What is newer than the release has the scalar of what it is', () => {
  const released = buildSchema(readFileSync(packagePath('schema/released.graphql'), 'utf8'));
  const plain = types.flatMap((type) => {
    if (!isObjectType(type) && !isInputObjectType(type)) return [];
    const before = released.getType(type.name);
    const known = isObjectType(before) || isInputObjectType(before) ? before.getFields() : {};
    return Object.values<{ name: string; type: GraphQLType }>(type.getFields()).flatMap((field) => {
      const { name } = getNamedType(field.type);
      const isPlain = SCALARS.some(([pattern, kind]) => pattern.test(field.name) && kind === name);
      const isHeld = field.name in known || (isObjectType(type) && isOfWebPage(type, field.name));
      return isPlain && !isHeld ? `${type.name}.${field.name}` : [];
    });
  });
  expect(plain.sort()).toEqual(Object.keys(PLAIN));
  const used = new Set(fields.map(({ field }) => getNamedType(field.type).name));
  for (const scalar of ['URL', 'HTML', 'Long', 'DateTime']) expect(used).toContain(scalar);
});

/** Lists without an argument of that name. */
const listsWithout = (argument: RegExp) =>
  lists
    .filter(({ field }) => !field.args.some(({ name }) => argument.test(name)))
    .map(({ type, field }) => `${type.name}.${field.name}`);

it.each([
  ['an order', /^(?:orderBy|sort|order)$/, UNORDERED, 60],
  ['a filter', /^filter$/, UNFILTERED, 96],
] as const)('Each list has %s, or a reason why not', (_what, argument, reasons, most) => {
  const told = Object.values(reasons).flat();
  expect([...told].sort()).toEqual(listsWithout(argument).sort());
  expect(told.length).toBeLessThanOrEqual(most);
  for (const reason of Object.keys(reasons)) expect(reason.split(' ').length).toBeGreaterThan(3);
});

it('Fields of interfaces have all arguments that are never null, as the compiler of Relay asks', () => {
  const odd = fields.flatMap(({ type, field }) => {
    const inherited = type.getInterfaces().flatMap((one) => one.getFields()[field.name] ?? []);
    const needed = field.args.filter((argument) => isNonNullType(argument.type));
    return inherited.flatMap(({ args }) =>
      needed
        .filter(({ name }) => !args.some((argument) => argument.name === name))
        .map(({ name }) => `${type.name}.${field.name}(${name}:)`),
    );
  });
  expect(odd).toEqual([]);
});

it('What has no identity is still there, and has none', () => {
  const without = objects.filter((type) => !isNode(type) && (listed.has(type.name) || type.getFields().id));
  expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(VALUES).sort());
});

it('There are no fewer Nodes', () => {
  expect(objects.filter(isNode).length).toBeGreaterThanOrEqual(70);
});
