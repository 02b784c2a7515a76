import type { Facts } from '#pages/engine/row.ts';
import type { EventLineFragment } from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** An event in words. */
export interface ToldEvent extends EventLineFragment {
  /** A text of the catalogue with places for its author and target. */
  sentence: string;
  /** What it was done to. */
  target: string;
  /** The page of that below the root; null where it has none, or is gone. */
  path: string | null;
}

const SENTENCES: Partial<Record<EventLineFragment['actionName'], string>> = {
  ACCEPTED: label('{author} merged {target}'),
  APPROVED: label('{author} approved {target}'),
  CLOSED: label('{author} closed {target}'),
  COMMENTED_ON: label('{author} commented on {target}'),
  CREATED: label('{author} created {target}'),
  DELETED: label('{author} deleted {target}'),
  DESTROYED: label('{author} deleted {target}'),
  IMPORTED: label('{author} imported {target}'),
  JOINED: label('{author} joined {target}'),
  LEFT: label('{author} left {target}'),
  OPENED: label('{author} opened {target}'),
  PUSHED_NEW: label('{author} created {target}'),
  PUSHED_TO: label('{author} pushed to {target}'),
};
const CHANGED = label('{author} changed {target}');

/** Events as the templates show them. */
export function toldEvents(events: readonly EventLineFragment[], t: Facts['t']): ToldEvent[] {
  return events.map((event) => ({ ...event, sentence: SENTENCES[event.actionName] ?? CHANGED, ...targetOf(event, t) }));
}

function targetOf(event: EventLineFragment, t: Facts['t']): Pick<ToldEvent, 'target' | 'path'> {
  const { push, note, project, targetType, targetIid, actionName } = event;
  const base = project ? `/${project.fullPath}` : null;
  const at = (path: string) => (base === null || actionName === 'DESTROYED' ? null : `${base}/-/${path}`);
  if (push) {
    const path = `tree/${push.ref.split('/').map(encodeURIComponent).join('/')}`;
    return {
      target: t(push.refType === 'TAG' ? 'tag {name}' : 'branch {name}', { name: push.ref }),
      path: actionName === 'DELETED' ? null : at(path),
    };
  }
  if (note) {
    const { noteableType, noteableIid, commitSha, databaseId } = note;
    if (noteableType === 'Commit') {
      return {
        target: t('commit {sha}', { sha: commitSha?.slice(0, 8) }),
        path: at(`commit/${commitSha}#note_${databaseId}`),
      };
    }
    const [text, place] =
      noteableType === 'Issue' ? [label('issue #{iid}'), 'issues'] : [label('merge request !{iid}'), 'merge_requests'];
    return {
      target: t(text, { iid: noteableIid }),
      path: at(`${place}/${noteableIid}?note=${databaseId}#note_${databaseId}`),
    };
  }
  if (targetType === 'ISSUE') return { target: t('issue #{iid}', { iid: targetIid }), path: at(`issues/${targetIid}`) };
  if (targetType === 'MERGE_REQUEST')
    return { target: t('merge request !{iid}', { iid: targetIid }), path: at(`merge_requests/${targetIid}`) };
  if (targetType === 'MILESTONE') return { target: t('a milestone'), path: at(`milestones/${targetIid}`) };
  return { target: t('the project'), path: null };
}
