import { expect } from 'vitest';
import type { Json } from './http.ts';
import type { TestUser, World } from './world.ts';

const THREAD = `id databaseId resolvable resolved resolvedAt resolvedBy { username } viewerCanResolve outdated diffHunk
  position { baseSha startSha headSha oldPath newPath oldLine newLine }
  originalPosition { headSha newPath oldLine newLine }
  truncatedDiffLines { type oldLine newLine text } notes { totalCount nodes { body system author { username } discussionId } }`;

type Input = Record<string, unknown>;

/** Talks about the records of a world by GraphQL. */
export function talk(world: World) {
  const ask = async (who: TestUser | undefined, query: string, variables: Input = {}): Promise<Json> =>
    (await world.graphql(query, variables, who)).body;
  const write = (who: TestUser | undefined, input: Input) =>
    ask(
      who,
      'mutation ($input: CreateNoteInput!) { createNote(input: $input) { note { id databaseId discussionId } } }',
      {
        input: { body: 'words', ...input },
      },
    );
  return {
    ask,
    /** Writes a note; the whole answer. */
    write,
    /** Writes a note that is taken; the note. */
    async written(who: TestUser, input: Input): Promise<Json> {
      const body = await write(who, input);
      expect(body.errors).toBeUndefined();
      return body.data.createNote.note;
    },
    resolve: (who: TestUser | undefined, input: Input, how: 'resolve' | 'unresolve' = 'resolve') =>
      ask(
        who,
        `mutation ($input: ${how === 'resolve' ? 'Resolve' : 'Unresolve'}DiscussionInput!) {
          ${how}Discussion(input: $input) { discussion { id resolved resolvedBy { username } } } }`,
        { input },
      ),
    /** The threads on a record, by its global ID. */
    async threads(who: TestUser | undefined, type: string, id: string): Promise<Json[]> {
      const body = await ask(
        who,
        `query ($id: ID!) { node(id: $id) { ... on ${type} { discussions { nodes { ${THREAD} } } } } }`,
        { id },
      );
      expect(body.errors).toBeUndefined();
      return body.data.node.discussions.nodes;
    },
    /** A thread by its global ID; null where there is none that the user sees. */
    async thread(who: TestUser | undefined, id: string): Promise<Json> {
      const body = await ask(who, `query ($id: ID!) { node(id: $id) { ... on Discussion { ${THREAD} } } }`, { id });
      return body.data.node;
    },
  };
}

/** The code of the first error of an answer, and the fields that it names. */
export function refusal({ errors }: Json): [string, Record<string, string[]> | undefined] {
  const { code, fields } = errors[0].extensions;
  return [code, fields];
}
