// Every field of every type, of the sample data: some ten thousand operations.
// @module-tag long
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type ExecutionResult,
  type GraphQLObjectType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { countFetch } from '#src/domain/repository/fetches.ts';
import { asked, executing, startSample, waysTo } from '../support/sample.ts';

const { world, whoIs } = await startSample();
for (const { id } of await world.db.project.findMany({ select: { id: true } })) await countFetch(world.db, id);
// A rule, and a merge request that it is about.
const { targetProjectId: projectId } = await world.db.mergeRequest.findFirstOrThrow({ where: { state: 'opened' } });
await world.db.approvalRule.create({
  data: { projectId, name: 'All Members', ruleType: 'any_approver', approvalsRequired: 1 },
});
// An import from another server that has ended.
await world.db.remoteImport.create({
  data: {
    projectId,
    provider: 'github',
    url: 'https://github.com',
    path: 'octo-org/hello-world',
    parts: [],
    counts: [{ kind: 'issues', fetched: 1, total: 1 }],
    leftOut: [{ kind: 'webhooks', name: 'ci.example', message: 'Set it up anew.' }],
    startedAt: new Date(),
    finishedAt: new Date(),
  },
});
const roles = { administrator: await whoIs('root'), guest: await whoIs('emil') };
const visitor = { actor: null };
const unexpected: unknown[] = [];
const execute = executing(world, (error) => unexpected.push(error));
const ways = await waysTo((document) => execute(document, roles.administrator));

const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType =>
    isObjectType(type) &&
    !/^__|Payload$/.test(type.name) &&
    type !== schema.getMutationType() &&
    type !== schema.getSubscriptionType(),
);

/** Errors come in no order that anybody may rely on. */
const told = ({ data, errors = [] }: ExecutionResult) =>
  JSON.stringify({ data, errors: errors.map((error) => JSON.stringify(error)).sort() });

/** What is measured when it is asked for, and so is another each time. */
const MEASURED = ['Storage.freeSpace'];

it('Each field answers the same three times, as graphql-js and by its plan', { timeout: 900_000 }, async () => {
  const wrong: string[] = [];
  let count = 0;
  for (const type of types) {
    const way = ways.get(type.name);
    if (!way) continue;
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      for (const [role, who] of Object.entries(roles)) {
        const document = parse(way(asked(type, field)));
        const invalid = validate(schema, document);
        if (invalid.length > 0) wrong.push(`${place}: ${invalid[0]?.message}`);
        const answers = [];
        for (let turn = 0; turn < 3; turn++) answers.push(await execute(document, who));
        count++;
        const codes = answers.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions.code));
        const texts = new Set(answers.map(told));
        const isWrong =
          (texts.size > 1 && !MEASURED.includes(place)) ||
          codes.includes('INTERNAL_SERVER_ERROR') ||
          codes.includes(undefined);
        if (isWrong) wrong.push(`${place} as ${role}: ${[...texts].join(' or ')} ${unexpected.splice(0).join(' ')}`);
      }
    }
  }
  expect(count).toBeGreaterThan(4000);
  expect(wrong).toEqual([]);
});

/** Fields that are never null, and so take what is around them along where they are refused: may only get fewer. */
const BLANKING = `
Group.accessRequests Group.accessTokens Group.deployTokens Group.invitations
Group.runners Group.variables Group.webhooks JobMetrics.jobs
JobMetrics.processes JobMetrics.queues Pipeline.variables Project.accessRequests
Project.accessTokens Project.deployKeys Project.deployTokens Project.deployments
Project.environments Project.invitations Project.remoteMirrors Project.resourceGroups
Project.runners Project.tagProtectionRules Project.triggers Project.uploads
Project.variables Project.webhooks Query.deployKeys Query.deployTokens
Query.events Query.namespaces Query.oauthApplications Query.ownSnippets
Query.personalAccessTokens Query.runners Query.serverVariables Query.systemWebhooks
Query.todos Query.userActivities Query.users Query.viewerPasskeys
ServerSearch.users User.admin User.authorizedApplications User.gpgKeys
User.impersonationTokens User.locked User.memberships User.oauthApplications
User.personalAccessTokens User.secondaryEmails User.sshKeys
`.trim();

it('None but these blank what is around them for a guest, a stranger or a visitor', { timeout: 900_000 }, async () => {
  const refused = new Set<string>();
  const callers = [roles.guest, await whoIs('fern'), visitor];
  for (const type of types) {
    const way = ways.get(type.name);
    if (!way) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isNonNullType(field.type)) continue;
      const document = parse(way(`asked: ${asked(type, field)}`));
      for (const who of callers) {
        const { errors = [] } = await execute(document, who);
        if (errors.some(({ path }) => path?.includes('asked'))) refused.add(`${type.name}.${field.name}`);
      }
    }
  }
  expect([...refused].sort()).toEqual(BLANKING.split(/\s+/).sort());
});

it('All of these were released so', () => {
  const released = buildSchema(readFileSync('schema/released.graphql', 'utf8'));
  for (const place of BLANKING.split(/\s+/)) {
    const [type = '', field = ''] = place.split('.');
    const found = released.getType(type);
    expect(isObjectType(found) && found.getFields()[field], place).toBeTruthy();
  }
});

/**
 * The levels of a protection are numbered by two tables, for branches and for tags, and read with their rule; strategies and scopes are read
 * with their flag: may only get fewer.
 */
const LOST = ['FeatureFlagScope', 'FeatureFlagStrategy', 'ProtectionLevel'];

it('Each id is found by node, by who is told it', { timeout: 900_000 }, async () => {
  const lost = new Set<string>();
  let count = 0;
  for (const type of types) {
    const way = ways.get(type.name);
    if (!way || !type.getFields().id) continue;
    for (const who of [roles.administrator, roles.guest, visitor]) {
      const ids = idsIn((await execute(parse(way('__typename told: id')), who)).data, type.name).slice(0, 20);
      if (ids.length === 0) continue;
      const { data } = await execute(parse(`{ nodes(ids: ${JSON.stringify(ids)}) { __typename id } }`), who);
      const found = (data?.nodes ?? []) as ({ __typename: string; id: string } | null)[];
      count += ids.length;
      if (ids.some((id, at) => found[at]?.id !== id)) lost.add(type.name);
    }
  }
  expect(count).toBeGreaterThan(100);
  expect([...lost].sort()).toEqual(LOST);
});

/** The IDs that an answer tells of records of a type, as `told`. */
function idsIn(value: unknown, type: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => idsIn(one, type));
  const { __typename, told: id, ...rest } = value as Record<string, unknown>;
  const own = __typename === type && typeof id === 'string' ? [id] : [];
  return [...own, ...Object.values(rest).flatMap((one) => idsIn(one, type))];
}

/** Types that the sample data have no record of: may only get fewer. */
const NEVER_MET = `
ArtifactEntry ArtifactFile ArtifactFolder AuthorizedApplication Blob BoardList BroadcastMessage
BulkImport BulkImportEntity BulkImportFailure BulkImportLeftOut BulkImportStat ReassignmentTable RefusedReassignmentRow RemoteImportUpdate
CiInclude CodeOwnersError CodeOwnersOfFile CommitSignature ConfiguredSignInProvider ConnectedChat LinkedPage ContainerRepository ContainerTag
ContainerTagProtectionRule CustomAttribute DeadJob ImportSourceUser IssueImport PagesDeployment PagesDomain RefusedImportRow
ContainerProtectionRepositoryRule DebianDistribution DeletedRecord PackagesProtectionRule DeployKey DeployKeyProject DeprecatedUse DraftNote FailedImportRelation FeatureToggle
FeatureToggleGate FileTable FoundWikiFile GpgKey GroupImportLeftOut MemberResult PushedBranch QuickActionResult RefusedItem WebhookUrlVariable
GpgSubkey GpgUserId HealthCheck Identity Invitation InvitationLink JobArtifacts
JobTracePart LfsPointer LineRange LineRangeEnd MergeRef MergeRequestApproval
MergeRequestReviewer NotificationEvents NpmDocument Passkey PipelineInput ProjectAccess
ProjectExportLinks ProjectUpload PullMirror PushRule RateLimit RegisteredKey ResourceGroup Runner
RunnerManager SignInProvider Suggestion TerraformState TestCase TestSuite Todo
JobNameStatistics MergeConflictFile MergeConflictPart MergeRequestConflicts WikiFile WikiHeading
TriedBadge UnchangedIssue UnchangedMergeRequest UploadedFile UserSession WebhookDelivery WebhookHeader WikiAttachment WikiAttachmentLink
`.trim();

it('Records of all types but these are there to be asked', () => {
  const missing = types.filter(({ name }) => !ways.has(name) && !/(?:Edge|Connection)$/.test(name));
  expect(missing.map(({ name }) => name).sort()).toEqual(NEVER_MET.split(/\s+/).sort());
});
