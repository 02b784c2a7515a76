import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { mutation } from '#schema/mutation.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import {
  conflictsOf,
  type MergeRequestConflicts,
  markedText,
  mayResolve,
  regionsOf,
  resolvedMessage,
} from '#src/domain/tracking/merge_requests/conflicts.ts';
import { resolveConflicts } from '#src/domain/tracking/merge_requests/resolve_conflicts.ts';
import type { ConflictPart } from '#src/git/write/conflict_regions.ts';
import type { ConflictedFile } from '#src/git/write/conflicts.ts';

const MergeConflictKind = builder.enumType('MergeConflictKind', {
  description: 'What is in conflict in a file.',
  values: {
    TEXT: { value: 'text', description: 'Lines of a text, which can be resolved here. All others cannot.' },
    BINARY: { value: 'binary', description: 'Content that is binary, or text that is not in UTF-8.' },
    DELETED: { value: 'deleted', description: 'One branch deleted the file, and the other one changed it.' },
    MOVED: {
      value: 'moved',
      description: 'The branches moved files to the same path, or one file to several, or a directory takes its place.',
    },
    LINK: { value: 'link', description: 'A symbolic link that both branches changed.' },
    SUBMODULE: { value: 'submodule', description: 'A submodule that both branches moved to other commits.' },
    TOO_LARGE: { value: 'tooLarge', description: 'Content of more than 256 KiB, or with more than 200 regions.' },
    UNREAD: {
      value: 'unread',
      description:
        'A file behind the first 100, or behind the first 2 MiB of both branches together, which is not read.',
    },
  } as const,
});

const Part = builder.objectRef<ConflictPart>('MergeConflictPart').implement({
  description: 'A part of a file with conflicts: text that both branches agree on, or a region with conflicts.',
  fields: (t) => ({
    text: t.string({
      nullable: true,
      description: 'The text, with the ends of its lines; null for a region with conflicts.',
      resolve: (part) => ('text' in part ? part.text : null),
    }),
    ours: t.string({
      nullable: true,
      description: 'What the source branch has in the region; null for text that both agree on.',
      resolve: (part) => ('text' in part ? null : part.ours),
    }),
    theirs: t.string({
      nullable: true,
      description: 'What the target branch has in the region; null for text that both agree on.',
      resolve: (part) => ('text' in part ? null : part.theirs),
    }),
  }),
});

const File = builder
  .objectRef<ConflictedFile & Pick<MergeRequestConflicts, 'sourceBranch' | 'targetBranch'>>('MergeConflictFile')
  .implement({
    description: 'A file that both branches changed in ways that exclude each other.',
    fields: (t) => ({
      path: t.string({ description: 'Path of the file, from the root.', resolve: ({ path }) => path.toWellFormed() }),
      kind: t.expose('kind', { type: MergeConflictKind, description: 'What is in conflict.' }),
      resolvable: t.boolean({
        description: 'Whether the conflicts can be resolved by `resolveConflicts`, as they are in lines of text.',
        resolve: ({ kind }) => kind === 'text',
      }),
      regionCount: t.int({
        description: 'Number of regions with conflicts; 0 if they cannot be resolved here.',
        resolve: ({ parts }) => regionsOf(parts).length,
      }),
      parts: t.expose('parts', {
        type: [Part],
        description: 'The whole file in its parts, from the top; none if the conflicts cannot be resolved here.',
      }),
      text: t.string({
        nullable: true,
        description:
          'The file with the conflict markers of git around its regions, to be edited; null if the conflicts cannot be resolved here.',
        resolve: (file) => (file.kind === 'text' ? markedText(file.parts, file) : null),
      }),
    }),
  });

const Conflicts = builder.objectRef<MergeRequestConflicts>('MergeRequestConflicts').implement({
  description: 'What keeps the branches of a merge request from being merged, at two of their commits.',
  fields: (t) => ({
    sourceSha: t.expose('sourceSha', { type: 'Sha', description: 'Hash of the head of the source branch.' }),
    targetSha: t.expose('targetSha', { type: 'Sha', description: 'Hash of the head of the target branch.' }),
    resolvable: t.boolean({
      description: 'Whether the conflicts of all files can be resolved by `resolveConflicts`.',
      resolve: ({ files }) => files.every(({ kind }) => kind === 'text'),
    }),
    defaultMessage: t.string({
      description: 'The message of the merge commit unless another one is given.',
      resolve: resolvedMessage,
    }),
    files: t.field({
      type: [File],
      description: 'The files with conflicts, by path; at most 1,000.',
      resolve: ({ files, sourceBranch, targetBranch }) =>
        files.map((file) => ({ ...file, sourceBranch, targetBranch })),
    }),
  }),
});

/** The columns from which the rights of the caller follow. */
const RIGHTS = { targetProjectId: true, sourceProjectId: true, sourceBranch: true, state: true } as const;

interface Rights {
  targetProjectId: number;
  sourceProjectId: number | null;
  sourceBranch: string;
}

async function rightsOf(context: GraphQLContext, { targetProjectId, sourceProjectId, sourceBranch }: Rights) {
  const { loaders } = context;
  const project = await requireProjectBase(context, targetProjectId);
  const source = sourceProjectId === null ? null : await loaders.project.load(sourceProjectId);
  const mayPush = source !== null && (await loaders.sourcePushable.load(source))(sourceBranch);
  return { project, mayPush };
}

builder.prismaObjectFields(MergeRequest, (t) => ({
  conflicts: t.field({
    type: Conflicts,
    nullable: true,
    description:
      'The conflicts that keep it from being merged, with the texts of the files; null if there are none, it is not open, or a branch is gone. For those who can push to the source branch and read the files of the target project.',
    select: { ...RIGHTS, sha: true, targetBranch: true, sourceBranchSha: true, targetBranchSha: true },
    resolve: async (mergeRequest, _args, context) => {
      const { project, mayPush } = await rightsOf(context, mergeRequest);
      return conflictsOf(context, project, mergeRequest, mayPush);
    },
  }),
  viewerCanResolveConflicts: t.boolean({
    description:
      'Whether the merge request is open and the caller can push to its source branch, as `resolveConflicts` does; whether it has conflicts is not considered.',
    select: RIGHTS,
    resolve: async (mergeRequest, _args, context) => {
      const { project, mayPush } = await rightsOf(context, mergeRequest);
      return mayResolve(context, project, mergeRequest.state, mayPush);
    },
  }),
}));

const Choice = builder.enumType('MergeConflictChoice', {
  description: 'What to take of a region with conflicts.',
  values: {
    OURS: { value: 'ours', description: 'What the source branch has.' },
    THEIRS: { value: 'theirs', description: 'What the target branch has.' },
    BOTH: { value: 'both', description: 'What the source branch has, and below it what the target branch has.' },
  } as const,
});

const Resolution = builder.inputType('MergeConflictResolution', {
  description: 'How the conflicts of a file are resolved: by either `choices` or `text`.',
  fields: (t) => ({
    path: t.string({ required: true, description: 'Path of the file, as `conflicts` has it.' }),
    choices: t.field({
      type: [Choice],
      description: 'What to take of each of its regions, from the top.',
    }),
    text: t.string({ description: 'The whole file, in place of choices; at most 512 KiB, without conflict markers.' }),
  }),
});

mutation('resolveConflicts', {
  description:
    'Merges the target branch of an open merge request into its source branch, with the given resolutions of all conflicts, as a push of the caller. For those who can push to the source branch and read the files of the target project. CONFLICT if one of the branches has moved since the conflicts were read.',
  input: {
    description: 'How the conflicts of a merge request are resolved.',
    argument: 'Names the merge request, and has a resolution for each of its files with conflicts.',
    fields: (t) => ({
      ...whichMergeRequest(t),
      sourceSha: t.field({ type: 'Sha', required: true, description: '`sourceSha` of the conflicts that were read.' }),
      targetSha: t.field({ type: 'Sha', required: true, description: '`targetSha` of the conflicts that were read.' }),
      message: t.string({ description: 'Message of the merge commit; by default it names both branches.' }),
      files: t.field({
        type: [Resolution],
        required: true,
        description: 'A resolution for each file with conflicts; at most 100.',
      }),
    }),
  },
  resolve: ({ project, iid, ...given }, context) => resolveConflicts(context, project, iid, given),
  payload: mergeRequestPayload,
});
