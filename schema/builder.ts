import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { CommitTime } from '#schema/commit_time.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { COUNTING } from '#schema/costs.ts';
import '#schema/node/plugin.ts';
import '#schema/nullability.ts';
import '#schema/records/plugin.ts';
import type { RecordTypes } from '#schema/records/types.ts';
import '#schema/shared_fields.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { NamespaceRef } from '#src/domain/namespaces/find.ts';
import type { UserMatch } from '#src/domain/tracking/subjects/filter.ts';
import { getDatamodel } from '#src/generated/pothos.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

/** The builder that every slice of the schema adds to. */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  PrismaTypes: RecordTypes;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: string | Date };
    CommitDateTime: { Input: never; Output: CommitTime };
    Date: { Input: string; Output: string | Date };
    ProjectRef: { Input: IdOrPath; Output: IdOrPath };
    GroupRef: { Input: IdOrPath; Output: IdOrPath };
    NamespaceRef: { Input: NamespaceRef; Output: IdOrPath };
    UserMatch: { Input: UserMatch; Output: string | number };
    HTML: { Input: never; Output: string };
    Sha: { Input: string; Output: string };
    URL: { Input: string; Output: string };
    Long: { Input: never; Output: number | bigint };
    Upload: { Input: IncomingFile; Output: never };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  // Executed in reverse order.
  plugins: ['sharedFields', 'records', 'globalIds', 'nullability', PrismaPlugin],
  prisma: { client: ({ db }) => db, dmmf: getDatamodel() },
  defaultFieldNullability: false,
});

builder.queryType({ description: `Everything that can be read. ${COUNTING}` });
builder.mutationType({
  description: 'Everything that can be changed. Each mutation takes one input and is one transaction.',
});
builder.subscriptionType({
  description:
    `Changes as they happen, over Server-Sent Events (graphql-sse) or WebSocket (graphql-ws). Subscribers only get what they can
see at that moment. To resume after an event, pass its \`extensions.cursor\` as \`after\`.`.replaceAll('\n', ' '),
});
