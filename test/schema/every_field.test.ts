// Every field of every type, of the sample data: some ten thousand operations.
// @module-tag long
import { type ExecutionResult, type GraphQLObjectType, isObjectType, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { asked, executing, startSample, waysTo } from '../support/sample.ts';

const { world, whoIs } = await startSample();
const roles = { administrator: await whoIs('root'), guest: await whoIs('emil') };
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
        const isWrong = texts.size > 1 || codes.includes('INTERNAL_SERVER_ERROR') || codes.includes(undefined);
        if (isWrong) wrong.push(`${place} as ${role}: ${[...texts].join(' or ')} ${unexpected.splice(0).join(' ')}`);
      }
    }
  }
  expect(count).toBeGreaterThan(4000);
  expect(wrong).toEqual([]);
});

/** Types that the sample data have no record of: may only get fewer. */
const NEVER_MET = `
ArtifactEntry ArtifactFile ArtifactFolder AuthorizedApplication Blob BoardList
CiInclude CommitSignature ConfiguredSignInProvider ContainerRepository ContainerTag DeadJob
DeployKey DeployKeyProject DraftNote FailedImportRelation FileTable GpgKey
GpgSubkey GpgUserId HealthCheck Identity Invitation JobArtifacts
JobTracePart LfsPointer LineRange LineRangeEnd MergeRef MergeRequestApproval
MergeRequestReviewer NotificationEvents NpmDocument Passkey PipelineInput ProjectAccess
ProjectExportLinks ProjectUpload PullMirror RegisteredKey ResourceGroup Runner
RunnerManager SignInProvider Suggestion TestCase TestSuite Todo
TriedBadge UploadedFile UserSession WebhookDelivery WikiAttachment WikiAttachmentLink
`.trim();

it('Records of all types but these are there to be asked', () => {
  const missing = types.filter(({ name }) => !ways.has(name) && !/(?:Edge|Connection)$/.test(name));
  expect(missing.map(({ name }) => name).sort()).toEqual(NEVER_MET.split(/\s+/).sort());
});
