import type { EventPayload, Told } from '#src/domain/integrations/base/kind.ts';
import type { Message, Part } from '#src/domain/integrations/chat/message.ts';
import { actorOf, link, projectLink, quoted, shortened, TITLE_LENGTH } from '#src/domain/integrations/chat/parts.ts';

/** What happened to an issue or merge request; other changes are not announced. */
const DONE: Record<string, string> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
  unapproved: 'withdrew the approval of',
};

/** An issue or merge request that was opened, closed, reopened, merged, or approved. */
export function messageOfSubject({ kind, payload }: Told): Message | null {
  const { action = '', iid, title = '', url = '', description } = payload.object_attributes ?? {};
  const done = DONE[action];
  if (done === undefined) return null;
  const isIssue = kind !== 'merge_request';
  const what = isIssue ? (kind === 'issue' ? 'issue' : 'confidential issue') : 'merge request';
  return {
    title: [
      `${actorOf(payload)} ${done} ${what} `,
      link(`${isIssue ? '#' : '!'}${iid} ${title}`, url),
      ' in ',
      projectLink(payload),
    ],
    lines: action === 'open' ? quoted(description) : [],
    tone: action === 'merge' || action === 'approved' ? 'good' : 'neutral',
  };
}

/** A new comment. Edited ones are not announced again. */
export function messageOfNote({ payload }: Told): Message | null {
  const { action = 'create', note, url = '' } = payload.object_attributes ?? {};
  if (action !== 'create') return null;
  return {
    title: [
      `${actorOf(payload)} `,
      { text: 'commented', url },
      ' on ',
      ...subjectOf(payload),
      ' in ',
      projectLink(payload),
    ],
    lines: quoted(note),
    tone: 'neutral',
  };
}

function subjectOf({ issue, merge_request: request, commit, snippet }: EventPayload): Part[] {
  if (issue) return ['issue ', link(`#${issue.iid} ${issue.title}`, issue.url)];
  if (request) return ['merge request ', link(`!${request.iid} ${request.title}`, request.url)];
  if (commit) return ['commit ', link(commit.id.slice(0, 8), commit.url), `: ${shortened(commit.title, TITLE_LENGTH)}`];
  return [snippet ? `snippet ${shortened(snippet.title, TITLE_LENGTH)}` : 'a commit'];
}

const WRITTEN: Record<string, string> = { create: 'created', update: 'edited', delete: 'deleted' };

/** A page of the wiki that was created, edited or deleted. */
export function messageOfWikiPage({ payload }: Told): Message {
  const { action = '', title = '', url = '', message } = payload.object_attributes ?? {};
  const page = action === 'delete' ? shortened(title, TITLE_LENGTH) : link(title, url);
  return {
    title: [`${actorOf(payload)} ${WRITTEN[action] ?? 'changed'} the wiki page `, page, ' in ', projectLink(payload)],
    lines: quoted(message),
    tone: 'neutral',
  };
}
