import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

/** The costs of fields that take more work or memory than a record's; others cost 1. */
export const COSTS: Readonly<Record<string, number>> = {
  // A file takes some tenths of a second of the main thread.
  'Project.ciLint': 5000,
  'Query.ciLint': 5000,
  // Up to ten thousand issues.
  'Project.issuesCsv': 5000,
  // Reads all events of a year.
  'User.contributions': 100,
  // Starts programs, and writes to disks.
  'Query.health': 1000,
  // Reports take up to some seconds of a thread.
  'Pipeline.testReport': 2000,
  // 256 KiB.
  'Job.traceTail': 50,
  // A log of 4 MB is read through.
  'Job.traceLines': 400,
  'Job.traceMatches': 400,
  'Job.trace': 400,
  // The list of files of an archive is read.
  'Job.artifactFolder': 400,
  'ArtifactFile.text': 400,
  // Reads the pipelines of a year.
  'Project.pipelineStatistics': 200,
  'Project.jobStatistics': 400,
  // Walks the history of a year.
  'Repository.commitActivity': 400,
  'Blob.content': 4000,
  'RepositoryFile.content': 4000,
  'RepositoryFile.text': 400,
  'RepositoryFile.lines': 400,
  'RepositoryFile.html': 400,
  'RepositoryFile.headings': 400,
  // A text is rendered in a thread.
  'Repository.renderedFile': 400,
  // Files are read and compared.
  'Repository.commitPreview': 2000,
  'RepositoryFile.table': 400,
  // A file is read, if it was not before.
  'RepositoryFile.contentSha256': 400,
  'RepositoryFile.isEditable': 400,
  'RepositoryFile.blame': 2000,
  'RepositoryFile.symbols': 400,
  'RepositoryFile.lineHistory': 4000,
  // Up to two seconds of counting.
  'Repository.languageHistory': 2000,
  'WikiPage.content': 20,
  'WikiPage.body': 20,
  'GroupWikiPage.content': 20,
  'GroupWikiPage.body': 20,
  'WikiPage.html': 400,
  'WikiPage.headings': 400,
  'WikiPage.commits': 400,
  'WikiPage.fileDiffs': 400,
  'GroupWikiPage.html': 400,
  'GroupWikiPage.headings': 400,
  'GroupWikiPage.commits': 400,
  'GroupWikiPage.fileDiffs': 400,
  'SnippetCommit.files': 100,
  'SnippetCommit.fileDiffs': 400,
  'Snippet.content': 4000,
  'SnippetFile.content': 400,
  'SnippetFile.lines': 400,
  'Branch.divergence': 20,
  'Repository.compare': 400,
  'Commit.diffs': 400,
  'Commit.fileDiffs': 400,
  'Comparison.diffs': 400,
  'Comparison.fileDiffs': 400,
  'MergeRequest.changes': 400,
  'MergeRequest.rawDiff': 400,
  'MergeRequest.changesOverflow': 400,
  // Merges the branches.
  'MergeRequest.conflicts': 1000,
  'MergeRequest.commits': 100,
  'MergeRequest.divergedCommitsCount': 20,
  'Project.mergeRequestPreview': 400,
  'MergeRequestPreview.commits': 100,
  'MergeRequestPreview.comparison': 400,
  'MergeRequestPreview.newDescription': 100,
  'Project.viewerPushedBranch': 20,
  'MergeRequestVersion.diffs': 400,
  'MergeRequestVersion.fileDiffs': 400,
  'MergeRequestVersion.commits': 400,
  'Deployment.mergeRequests': 400,
  'Commit.stats': 100,
  'RepositoryFile.lastCommitSha': 20,
  'RepositoryLocation.lastCommit': 20,
  'RepositoryLocation.paths': 2000,
  'TreeEntry.lastCommit': 10,
  'ProjectSearch.commits': 2000,
  'ProjectSearch.files': 2000,
  'ProjectSearch.code': 2000,
  'GroupSearch.code': 2000,
  'ServerSearch.code': 2000,
  // A text takes up to a second of a thread.
  'Query.markdown': 500,
  'Issue.titleHtml': 20,
  'Issue.descriptionHtml': 20,
  'MergeRequest.titleHtml': 20,
  'MergeRequest.descriptionHtml': 20,
  'Note.bodyHtml': 20,
  'DraftNote.bodyHtml': 20,
  'CommitComment.noteHtml': 20,
  'Release.descriptionHtml': 20,
  'Milestone.descriptionHtml': 20,
  // Counts and searches the records of up to seven types.
  'Query.search': 100,
  // Reads notes and three kinds of events, of which the page has only some.
  'Issue.timeline': 20,
  'MergeRequest.timeline': 20,
  // A line, which is rendered once for all records of a list.
  'Label.descriptionHtml': 2,
  'Project.descriptionHtml': 20,
  'Group.descriptionHtml': 20,
};

/** Assumed number of records for lists without a size argument. */
export const SIZES: Readonly<Record<string, number>> = {
  'User.contributions': 366,
  'Snippet.files': 10,
  'Group.allProjects': 100,
  'Group.allSharedProjects': 100,
  'Comparison.allCommits': 100,
  'RepositoryFile.blame': 1000,
  'RepositoryLocation.paths': 100,
  'FoundCode.lines': 5,
  'WikiPage.headings': 20,
  'GroupWikiPage.headings': 20,
  'Comparison.diffs': 100,
  'Commit.diffs': 100,
  'MergeRequest.changes': 100,
  'MergeRequestVersion.diffs': 100,
  'MergeRequestVersion.commits': 100,
  'MergeRequestConflicts.files': 10,
  'MergeConflictFile.parts': 10,
  'Discussion.allNotes': 15,
  'Job.attempts': 2,
  'Job.neededJobs': 5,
  'Job.traceMatches': 100,
  'ArtifactFolder.entries': 200,
  'Project.pipelineStatistics': 13,
  'Project.jobStatistics': 20,
  'Repository.commitActivity': 13,
  'Discussion.truncatedDiffLines': 16,
  'FileDiff.hunks': 3,
  'DiffHunk.lines': 20,
  'Note.suggestions': 1,
  'Query.quickActions': 33,
  'Query.emoji': 20,
  'ApplySuggestionsPayload.suggestions': 20,
  'UpdateIssuesPayload.issues': 100,
  'UpdateIssuesPayload.unchanged': 100,
  'UpdateMergeRequestsPayload.mergeRequests': 100,
  'UpdateMergeRequestsPayload.unchanged': 100,
  'Project.sharedWithGroups': 10,
  'Issue.reactions': 4,
  'MergeRequest.reactions': 4,
  'Snippet.reactions': 4,
  'Note.reactions': 4,
  'Issue.assignees': 5,
  'MergeRequest.assignees': 5,
  'MergeRequest.reviewers': 5,
  'MergeRequest.approvals': 5,
  'JobMetrics.queues': 20,
  'JobMetrics.processes': 20,
  '__Schema.types': 400,
  '__Schema.directives': 10,
  '__Type.fields': 10,
  '__Type.inputFields': 10,
  '__Type.enumValues': 10,
  '__Type.interfaces': 2,
  '__Type.possibleTypes': 4,
  '__Field.args': 4,
  '__Directive.args': 4,
};

/** Lists with as many records as an argument has entries. */
export const COUNTED: Readonly<Record<string, string>> = { 'Query.nodes': 'ids' };

/** How costs are counted, for the description of the schema. */
export const COUNTING =
  `The cost of operations is limited: each field costs 1, values of a record a tenth, or what their descriptions say. Fields below a list count once
for each record that the list can have: its \`first\`, \`last\` or \`limit\`, by default 20; \`edges\`, \`nodes\` and \`node\` count nothing. Send the header
\`GraphQL-Cost: 1\` to get the cost of an operation and the limits in \`extensions.cost\` of the response.`.replaceAll(
    '\n',
    ' ',
  );

/** A figure of a field by its place: of a field of an interface the largest of its types. */
export function figureOf(
  figures: Readonly<Record<string, number>>,
  schema: GraphQLSchema,
  type: string | undefined,
  field: string,
): number | undefined {
  const named = type === undefined ? undefined : schema.getType(type);
  if (!isInterfaceType(named)) return figures[`${type}.${field}`];
  const known = schema.getPossibleTypes(named).flatMap(({ name }) => figures[`${name}.${field}`] ?? []);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/** Adds costs other than 1 to the descriptions of fields, and the assumed number of records to those of lists without a size. */
export function describeCosts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(isObjectType(type) || isInterfaceType(type)) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const [cost, size] = [COSTS, SIZES].map((figures) => figureOf(figures, schema, type.name, field.name));
      if (cost !== undefined) field.description += ` Costs ${cost}.`;
      if (size !== undefined) field.description += ` Counts as ${size} records.`;
    }
  }
  return schema;
}
