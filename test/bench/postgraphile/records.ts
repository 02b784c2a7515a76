/** Records as PostGraphile names their fields; which fields there are depends on what was asked for. */
export interface Project {
  rowId: number;
  name: string;
  path: string;
  namespaceByNamespaceId: { fullPath: string };
  issuesByProjectId: { totalCount: number; nodes: Issue[] };
}

export interface Issue {
  rowId: number;
  iid: number;
  state: string;
  createdAt: string;
  issueLabelsByIssueId: { nodes: { labelByLabelId: { title: string } }[] };
  notes: { totalCount: number };
  userByAuthorId: User;
  updatedAt?: string;
  upvotes?: { totalCount: number };
  downvotes?: { totalCount: number };
  userByAssigneeId?: User | null;
  milestoneByMilestoneId?: Milestone | null;
}

interface User {
  rowId: number;
  state: string;
}

interface Milestone {
  rowId: number;
  state: string;
  createdAt: string;
  updatedAt: string;
}

/** A project as Gantry names its fields. */
export function gantryProject({ rowId, name, path, namespaceByNamespaceId: { fullPath } }: Project) {
  return { databaseId: rowId, name, fullPath: `${fullPath}/${path}` };
}

/** An issue of the project as Gantry names its fields. */
export function gantryIssue(issue: Issue, project: Project) {
  const { rowId, issueLabelsByIssueId: labels, notes, userByAuthorId, ...more } = issue;
  const { userByAssigneeId, milestoneByMilestoneId, upvotes, downvotes, updatedAt, createdAt, state, ...same } = more;
  const full = upvotes &&
    downvotes &&
    updatedAt && {
      upvotes: upvotes.totalCount,
      downvotes: downvotes.totalCount,
      updatedAt: moment(updatedAt),
      assignee: userByAssigneeId && gantryUser(userByAssigneeId),
      milestone: milestoneByMilestoneId && gantryMilestone(milestoneByMilestoneId),
    };
  return {
    ...same,
    databaseId: rowId,
    state: state.toUpperCase(),
    createdAt: moment(createdAt),
    labelTitles: labels.nodes.map(({ labelByLabelId }) => labelByLabelId.title).sort(),
    userNotesCount: notes.totalCount,
    author: gantryUser(userByAuthorId),
    webUrl: `base:/${gantryProject(project).fullPath}/-/issues/${issue.iid}`,
    ...full,
  };
}

function gantryUser({ rowId, state, ...same }: User) {
  return { ...same, databaseId: rowId, state: state.toUpperCase() };
}

function gantryMilestone({ rowId, state, createdAt, updatedAt, ...same }: Milestone) {
  const times = { createdAt: moment(createdAt), updatedAt: moment(updatedAt) };
  return { ...same, ...times, databaseId: rowId, state: state.toUpperCase() };
}

function moment(text: string): string {
  return new Date(text).toISOString();
}
