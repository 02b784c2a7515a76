import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const inputs = types.filter(isInputObjectType);
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** A part of the schema by its place, as `CreateLabelInput.title`. */
interface Part {
  place: string;
  name: string;
  description: string;
  type: GraphQLInputType;
}

const part = (place: string, { name, description, type }: GraphQLInputField | GraphQLArgument): Part => ({
  place: `${place}.${name}`,
  name,
  description: description ?? '',
  type,
});

/** Every field of an input and every argument of a field. */
const given: Part[] = [
  ...inputs.flatMap((input) => Object.values(input.getFields()).map((field) => part(input.name, field))),
  ...types
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) =>
        field.args.map((arg) => part(`${type.name}.${field.name}`, arg)),
      ),
    ),
];

const payloadOf = ({ type }: GraphQLField<unknown, unknown>) => {
  const payload = getNamedType(type);
  if (!isObjectType(payload)) throw new Error(`${payload.name} is no payload`);
  return payload;
};

/** Everything that this test wants described: mutations, their inputs and payloads, and enums that inputs take. */
const described: [string, string][] = [
  ...inputs.map(({ name, description }): [string, string] => [name, description ?? '']),
  ...given.map(({ place, description }): [string, string] => [place, description]),
  ...mutations.flatMap((mutation): [string, string][] => {
    const payload = payloadOf(mutation);
    return [
      [mutation.name, mutation.description ?? ''],
      [payload.name, payload.description ?? ''],
      ...Object.values(payload.getFields()).map((field): [string, string] => [
        `${payload.name}.${field.name}`,
        field.description ?? '',
      ]),
    ];
  }),
];

const words = (text: string) => text.match(/[\p{L}\d][\p{L}\d'’-]*/gu) ?? [];

describe('Inputs', () => {
  it('name records by global IDs: no number that only the REST API knows is asked for', () => {
    const numbers = given.filter(
      ({ name, type }) => /(?:^i|[a-z]I)ds?$|^databaseId/.test(name) && getNamedType(type).name === 'Int',
    );
    // Numbers within a project, of which users know the records; and those of colours, which are no records.
    expect(numbers.map(({ name }) => name).filter((name) => !/^iids?$|^(colorScheme|theme)Id$/.test(name))).toEqual([]);
  });

  it('name projects and groups by references, which take paths too', () => {
    const named = given.filter(({ name }) => ['project', 'group', 'forkedFrom', 'to', 'parent'].includes(name));
    const others = named.filter(({ type }) => !/Ref$/.test(getNamedType(type).name));
    expect(
      others
        .map(({ place }) => place)
        .filter((place) => !['Repository.compare.to', 'RepositoryFile.lineHistory.to'].includes(place)),
    ).toEqual([]);
    expect(named.length).toBeGreaterThan(50);
  });

  it('take enums wherever there is a list of values', () => {
    const listed =
      /^(?:accessLevel|groupAccess|visibility|state|stateEvent|status|scopes?|action|encoding|lineType|format|orderBy|sort|restrictedVisibilityLevels|defaultBranchProtection)$/;
    const isNoWord = (type: GraphQLInputType) => ![isEnumType, isInputObjectType].some((is) => is(getNamedType(type)));
    const loose = given.filter(({ name, type }) => listed.test(name) && isNoWord(type));
    expect(loose.map(({ place }) => place)).toEqual([]);
  });

  it('are named after their mutations', () => {
    const cap = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
    const odd = mutations.filter(({ name, args: [input] }) => getNamedType(input?.type)?.name !== cap(name));
    expect(odd.map(({ name }) => name)).toEqual([]);
  });
});

describe('Payloads', () => {
  it('are named after their mutations', () => {
    const cap = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Payload`;
    const odd = mutations.filter((mutation) => payloadOf(mutation).name !== cap(mutation.name));
    expect(odd.map(({ name }) => name)).toEqual([]);
  });

  it('of deletions say what is gone: its global ID, or its name where it has none', () => {
    const deletions = mutations.filter(
      ({ name }) =>
        /^delete/.test(name) &&
        !['deleteMergedBranches', 'deleteContainerTags', 'deletePagesDeployment'].includes(name),
    );
    expect(deletions.length).toBeGreaterThan(12);
    for (const deletion of deletions) {
      const what = deletion.name.replace(/^delete(?:Public)?/, '');
      const gone = Object.values(payloadOf(deletion).getFields()).filter(({ name }) => name.startsWith('deleted'));
      const named = {
        Branch: 'Name',
        Tag: 'Name',
        NpmDistTag: 'Name',
        FeatureToggle: 'Name',
        ContainerTag: 'Name',
        WikiPage: 'Slug',
        GroupWikiPage: 'Slug',
        Invitation: 'Email',
        BranchProtectionRule: 'Name',
        CustomAttribute: 'Key',
        TagProtectionRule: 'Name',
      };
      const expected =
        { ...named, Release: 'TagName', File: 'Path', Variable: 'Key', PipelineScheduleVariable: 'Key' }[what] ?? 'Id';
      const field = isListType(gone[0]?.type && getNullableType(gone[0].type))
        ? `deleted${what.replace(/s$/, '')}Ids`
        : `deleted${what}${expected}`;
      expect(gone.map(({ name }) => name)).toEqual([field]);
      expect(gone[0] && getNamedType(gone[0].type).name).toBe(expected === 'Id' ? 'ID' : 'String');
    }
  });
});

describe('Orders', () => {
  it('have one name each', () => {
    const orders = types.filter(({ name }) => /Order/.test(name) && isEnumType(schema.getType(name)));
    expect(orders.map(({ name }) => name).sort()).toEqual([
      'AccessRequestOrder',
      'ApprovalRuleOrder',
      'AuditEventOrder',
      'AwardEmojiOrder',
      'BadgeOrder',
      'BoardListOrder',
      'BoardOrder',
      'BranchOrder',
      'BranchProtectionRuleOrder',
      'BroadcastMessageOrder',
      'CommitCommentOrder',
      'CommitStatusOrder',
      'ContainerProtectionRepositoryRuleOrder',
      'ContainerRepositoryOrder',
      'ContainerTagOrder',
      'ContainerTagProtectionRuleOrder',
      'DebianDistributionOrder',
      'DeployKeyOrder',
      'DeployTokenOrder',
      'DeploymentOrder',
      'DraftNoteOrder',
      'EmailOrder',
      'EnvironmentDeploymentOrder',
      'EnvironmentOrder',
      'FeatureFlagOrder',
      'FeatureFlagUserListOrder',
      'GpgKeyOrder',
      'GroupOrder',
      'ImportSourceUserOrder',
      'InvitationOrder',
      'IssueLinkOrder',
      'IssueOrder',
      'JobOrder',
      'LabelEventOrder',
      'LabelOrder',
      'MemberOrder',
      'MergeRequestOrder',
      'MergeRequestReviewerOrder',
      'MergeRequestVersionOrder',
      'MilestoneEventOrder',
      'MilestoneOrder',
      'NamespaceOrder',
      'NoteOrder',
      'OAuthApplicationOrder',
      'PackageFileOrder',
      'PackageOrder',
      'PackagesProtectionRuleOrder',
      'PagesDeploymentOrder',
      'PagesDomainOrder',
      'PersonalAccessTokenOrder',
      'PipelineOrder',
      'PipelineScheduleOrder',
      'ProjectOrder',
      'ProjectStarOrder',
      'ProjectUploadOrder',
      'ReleaseLinkOrder',
      'ReleaseOrder',
      'RemoteMirrorOrder',
      'ResourceGroupOrder',
      'RunnerManagerOrder',
      'RunnerOrder',
      'ServiceAccountOrder',
      'SnippetOrder',
      'SshKeyOrder',
      'StateEventOrder',
      'TagOrder',
      'TagProtectionRuleOrder',
      'TerraformStateOrder',
      'TimelogOrder',
      'TodoOrder',
      'TopicOrder',
      'TriggerOrder',
      'UserActivityOrder',
      'UserMembershipOrder',
      'UserOrder',
      'VariableOrder',
      'WebhookDeliveryOrder',
      'WebhookOrder',
    ]);
  });
});

describe('Descriptions of inputs, arguments, mutations and payloads', () => {
  it('have four words at least', () => {
    expect(described.filter(([, text]) => words(text).length < 4)).toEqual([]);
  });

  it('of fields and arguments say more than the name', () => {
    const fill = new Set(['a', 'an', 'the', 'of', 'is', 'its', 'it', 'new', 'which', 'what', 'to', 'that', 'id', 'in']);
    const plain = (text: string) => words(text.toLowerCase()).filter((word) => !fill.has(word));
    const repeated = described.filter(([place, text]) => {
      if (!place.includes('.')) return false;
      const name = (place.split('.').at(-1) ?? '').replace(/(?:Input|Payload)$/, '');
      const known = new Set(words(name.replace(/([A-Z])/g, ' $1').toLowerCase()));
      return plain(text).every((word) => known.has(word));
    });
    expect(repeated).toEqual([]);
  });

  it('tell no defaults that the schema can tell', () => {
    const hidden = described.filter(([, text]) => /when (?:nothing is said|absent|unset)|by default$/i.test(text));
    expect(hidden).toEqual([]);
  });
});
