import { type Tool, tool } from '#mcp/engine/tool.ts';
import {
  ApproveMergeRequestDocument,
  CancelPipelineDocument,
  CommentOnIssueDocument,
  CommentOnMergeRequestDocument,
  CommitFilesDocument,
  CompareRefsDocument,
  CreateBranchDocument,
  CreateIssueDocument,
  CreateMergeRequestDocument,
  CreatePipelineDocument,
  GetCommitDocument,
  GetIssueDocument,
  GetJobLogDocument,
  GetMergeRequestDiffDocument,
  GetMergeRequestDocument,
  GetPipelineDocument,
  GetProjectDocument,
  GetViewerDocument,
  ListBranchesDocument,
  ListCommitsDocument,
  ListFilesDocument,
  ListIssuesDocument,
  ListMergeRequestDiscussionsDocument,
  ListMergeRequestsDocument,
  ListPipelinesDocument,
  MergeMergeRequestDocument,
  ReadFileDocument,
  ResolveMergeRequestDiscussionDocument,
  RetryJobDocument,
  RetryPipelineDocument,
  SearchCodeDocument,
  SearchIssuesDocument,
  SearchMergeRequestsDocument,
  SearchProjectsDocument,
  UnapproveMergeRequestDocument,
  UpdateIssueDocument,
  UpdateMergeRequestDocument,
} from '#src/generated/mcp_operations.ts';

/** The arguments of lists. */
const PAGE = { first: 'How many to return: at most 100.', after: 'The `endCursor` of the previous page.' };

const REF = 'A branch, a tag or a commit; the default branch when left out.';
const PROJECT = 'Full path or numeric ID of the project.';

/** People and milestones by number, which tools name otherwise, and what is for other clients. */
const NUMBERED = ['assigneeId', 'assigneeIds', 'ignoreForbidden', 'milestone', 'milestoneId'];

/** What a note is on, as arguments of their own. */
const onSubject = (kind: 'issue' | 'mergeRequest') => ({
  [`on[${kind}][project]`]: 'project',
  [`on[${kind}][iid]`]: 'iid',
});

/** All tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  tool({
    operation: GetViewerDocument,
    title: 'Who you are',
    description: 'The user for whom the tools work.',
    found: ({ viewer }) => viewer,
  }),

  tool({
    operation: SearchProjectsDocument,
    title: 'Search projects',
    description:
      'Finds projects by a text in their name or path, those with the latest activity first. Without a text it lists all projects that you can see.',
    arguments: {
      ...PAGE,
      search: 'A text that is in the name or the full path, in any case.',
      membership: 'Whether to list only projects that you are a member of.',
    },
    found: ({ projects }) => projects,
  }),
  tool({
    operation: GetProjectDocument,
    title: 'Show a project',
    description: 'A project, with its default branch and what you can do in it.',
    found: ({ project }) => project,
  }),
  tool({
    operation: SearchCodeDocument,
    title: 'Search code',
    description:
      'Finds text in the files of a project, and files by their path. Each result is a few lines of a file with the number of the first one.',
    arguments: {
      ...PAGE,
      ref: REF,
      search:
        'The text to find, in any case. `filename:`, `path:` and `extension:` in it are filters, as in `button extension:ts path:src/*`.',
    },
    found: ({ project }) => project?.find?.files,
  }),
  tool({
    operation: SearchIssuesDocument,
    title: 'Search issues',
    description: 'Finds issues of all projects that you can see by a text in title or description.',
    arguments: { ...PAGE, state: 'Only issues in this state; all when left out.' },
    found: ({ find }) => find?.issues,
  }),
  tool({
    operation: SearchMergeRequestsDocument,
    title: 'Search merge requests',
    description: 'Finds merge requests of all projects that you can see by a text in title or description.',
    arguments: { ...PAGE, state: 'Only merge requests in this state; all when left out.' },
    found: ({ find }) => find?.mergeRequests,
  }),

  tool({
    operation: ListFilesDocument,
    title: 'List files',
    description: 'Lists the files and folders of a repository, or of a folder in it.',
    arguments: {
      ...PAGE,
      ref: REF,
      path: 'The folder; the root when left out.',
      recursive: 'Whether to list everything below the folder.',
    },
    found: ({ project }) => project?.repository?.tree,
  }),
  tool({
    operation: ReadFileDocument,
    title: 'Read a file',
    description: 'Reads a text file, or lines of it. `text` is null for a binary file.',
    arguments: {
      ref: REF,
      path: 'Path from the root of the repository.',
      fromLine: 'Number of the first line to read, from 1.',
      lines: 'How many lines to read; all that follow when left out.',
    },
    found: ({ project }) => project?.repository?.file,
  }),
  tool({
    operation: ListCommitsDocument,
    title: 'List commits',
    description: 'Lists commits, newest first: of a branch, of one file or folder, or of a time.',
    arguments: {
      ...PAGE,
      ref: 'A branch, a tag, a commit or a range such as `v1..main`; the default branch when left out.',
      path: 'Only commits that change this file or folder.',
      author: 'Only commits by an author whose name or e-mail address has this text.',
    },
    found: ({ project }) => project?.repository?.commits,
  }),
  tool({
    operation: GetCommitDocument,
    title: 'Show a commit',
    description: 'A commit with its message and the changes to files.',
    arguments: { ...PAGE, ref: 'A hash, a branch or a tag.' },
    found: ({ project }) => project?.repository?.commit,
  }),
  tool({
    operation: CompareRefsDocument,
    title: 'Compare',
    description: 'What differs between two branches, tags or commits, as changes to files.',
    arguments: {
      ...PAGE,
      from: 'Where the comparison begins: a branch, a tag or a commit.',
      to: 'Where it ends: a branch, a tag or a commit.',
    },
    found: ({ project }) => project?.repository?.compare,
  }),
  tool({
    operation: ListBranchesDocument,
    title: 'List branches',
    description: 'Lists the branches of a project, with their latest commits.',
    arguments: PAGE,
    found: ({ project }) => project?.repository?.branches,
  }),
  tool({
    operation: CreateBranchDocument,
    title: 'Create a branch',
    description: 'Creates a branch at another branch, a tag or a commit.',
    found: ({ createBranch }) => createBranch?.branch,
  }),
  tool({
    operation: CommitFilesDocument,
    hidden: ['allowEmpty', 'authorEmail', 'authorName', 'force', 'startProject', 'startSha'],
    title: 'Commit files',
    description:
      'Makes one commit that creates, updates, moves or deletes several files. With `startBranch` the branch is created with it.',
    found: ({ createCommit }) => createCommit?.commit,
    destructive: true,
  }),

  tool({
    operation: ListIssuesDocument,
    title: 'List issues',
    description: 'Lists the issues of a project.',
    arguments: PAGE,
    found: ({ project }) => project?.issues,
  }),
  tool({
    operation: GetIssueDocument,
    title: 'Show an issue',
    description: 'An issue with its description and its comments, oldest first. The pages are those of its comments.',
    arguments: PAGE,
    found: ({ project }) => project?.issue,
  }),
  tool({
    operation: CreateIssueDocument,
    required: ['title'],
    hidden: [
      ...NUMBERED,
      'addLabels',
      'removeLabels',
      'afterId',
      'beforeId',
      'createdAt',
      'discussionLocked',
      'discussionToResolve',
      'iid',
      'mergeRequestToResolveDiscussionsOf',
    ],
    title: 'Create an issue',
    description: 'Creates an issue.',
    found: ({ createIssue }) => createIssue?.issue,
  }),
  tool({
    operation: UpdateIssueDocument,
    hidden: [...NUMBERED, 'afterId', 'beforeId', 'confidential', 'discussionLocked', 'labels', 'updatedAt'],
    title: 'Change an issue',
    description: 'Changes an issue, closes it or reopens it. What is left out stays as it is.',
    found: ({ updateIssue }) => updateIssue?.issue,
    destructive: true,
  }),
  tool({
    operation: CommentOnIssueDocument,
    names: onSubject('issue'),
    hidden: ['commitSha', 'createdAt', 'ignoreForbidden', 'lenientPosition', 'position', 'startDiscussion'],
    title: 'Comment on an issue',
    description: 'Comments on an issue, or answers in one of its threads.',
    arguments: { project: PROJECT },
    found: ({ createNote }) => createNote?.note,
  }),

  tool({
    operation: ListMergeRequestsDocument,
    title: 'List merge requests',
    description: 'Lists the merge requests of a project.',
    arguments: PAGE,
    found: ({ project }) => project?.mergeRequests,
  }),
  tool({
    operation: GetMergeRequestDocument,
    title: 'Show a merge request',
    description: 'A merge request with its description, approvals, whether it can be merged, and its latest pipeline.',
    found: ({ project }) => project?.mergeRequest,
  }),
  tool({
    operation: GetMergeRequestDiffDocument,
    title: 'Show the changes of a merge request',
    description:
      'The changes of a merge request as a diff, file by file. `diffRefs` has the hashes that the position of a comment on a line needs.',
    arguments: { ...PAGE, path: 'Only the change to this file.' },
    found: ({ project }) => project?.mergeRequest,
  }),
  tool({
    operation: ListMergeRequestDiscussionsDocument,
    title: 'List the threads of a merge request',
    description: 'The threads of a merge request, oldest first, with the lines that they are about.',
    arguments: PAGE,
    found: ({ project }) => project?.mergeRequest?.discussions,
  }),
  tool({
    operation: CreateMergeRequestDocument,
    hidden: [...NUMBERED, 'addLabels', 'removeLabels', 'allowCollaboration', 'reviewerIds'],
    title: 'Create a merge request',
    description: 'Creates a merge request from one branch into another.',
    found: ({ createMergeRequest }) => createMergeRequest?.mergeRequest,
  }),
  tool({
    operation: UpdateMergeRequestDocument,
    hidden: [
      ...NUMBERED,
      'allowCollaboration',
      'discussionLocked',
      'labels',
      'removeSourceBranch',
      'reviewerIds',
      'squash',
    ],
    title: 'Change a merge request',
    description: 'Changes a merge request, closes it or reopens it. What is left out stays as it is.',
    found: ({ updateMergeRequest }) => updateMergeRequest?.mergeRequest,
    destructive: true,
  }),
  tool({
    operation: CommentOnMergeRequestDocument,
    names: onSubject('mergeRequest'),
    hidden: ['commitSha', 'createdAt', 'ignoreForbidden', 'internal', 'lenientPosition'],
    title: 'Comment on a merge request',
    description:
      'Comments on a merge request: in general, in one of its threads, or with a position on a line of its changes, which begins a thread.',
    arguments: {
      project: PROJECT,
      position:
        'The line to begin a thread on. The hashes are the `diffRefs` of get_merge_request_diff; an added line has only `newLine`, a removed one only `oldLine`, and an unchanged one both.',
    },
    found: ({ createNote }) => createNote?.note,
  }),
  tool({
    operation: ResolveMergeRequestDiscussionDocument,
    names: { ...onSubject('mergeRequest'), id: 'discussionId' },
    title: 'Resolve a thread',
    description: 'Resolves a thread of a merge request, or opens it again.',
    arguments: { project: PROJECT },
    found: ({ resolveDiscussion }) => resolveDiscussion?.discussion,
  }),
  tool({
    operation: ApproveMergeRequestDocument,
    title: 'Approve a merge request',
    description: 'Approves a merge request.',
    found: ({ approveMergeRequest }) => approveMergeRequest?.mergeRequest,
  }),
  tool({
    operation: UnapproveMergeRequestDocument,
    title: 'Take back an approval',
    description: 'Takes back your approval of a merge request.',
    found: ({ unapproveMergeRequest }) => unapproveMergeRequest?.mergeRequest,
  }),
  tool({
    operation: MergeMergeRequestDocument,
    hidden: ['squashCommitMessage'],
    title: 'Merge a merge request',
    description: 'Merges a merge request.',
    found: ({ acceptMergeRequest }) => acceptMergeRequest?.mergeRequest,
    destructive: true,
  }),

  tool({
    operation: ListPipelinesDocument,
    title: 'List pipelines',
    description: 'Lists the pipelines of a project, newest first.',
    arguments: PAGE,
    found: ({ project }) => project?.pipelines,
  }),
  tool({
    operation: GetPipelineDocument,
    title: 'Show a pipeline',
    description: 'A pipeline with its jobs.',
    arguments: PAGE,
    found: ({ project }) => project?.pipeline,
  }),
  tool({
    operation: GetJobLogDocument,
    title: 'Read the log of a job',
    description: 'A job with the end of its log.',
    found: ({ project }) => project?.job,
  }),
  tool({
    operation: CreatePipelineDocument,
    hidden: ['inputs', 'variables'],
    title: 'Run a pipeline',
    description: 'Runs a pipeline for a branch or a tag.',
    found: ({ createPipeline }) => createPipeline?.pipeline,
  }),
  tool({
    operation: RetryJobDocument,
    title: 'Run a job again',
    description: 'Runs a job again.',
    found: ({ retryJob }) => retryJob?.job,
  }),
  tool({
    operation: RetryPipelineDocument,
    title: 'Run failed jobs again',
    description: 'Runs the failed and canceled jobs of a pipeline again.',
    found: ({ retryPipeline }) => retryPipeline?.pipeline,
  }),
  tool({
    operation: CancelPipelineDocument,
    title: 'Stop a pipeline',
    description: 'Stops the jobs of a pipeline.',
    found: ({ cancelPipeline }) => cancelPipeline?.pipeline,
    destructive: true,
  }),
];
