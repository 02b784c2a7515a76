import type { EventLineFragment } from '#src/generated/page_operations.ts';

/** An event in words. */
export interface ToldEvent extends EventLineFragment {
  verb: string;
  /** What it was done to. */
  target: string;
  /** The page of that below the root; null where it has none, or is gone. */
  path: string | null;
}

const VERBS: Partial<Record<EventLineFragment['actionName'], string>> = {
  ACCEPTED: 'merged',
  APPROVED: 'approved',
  CLOSED: 'closed',
  COMMENTED_ON: 'commented on',
  CREATED: 'created',
  DELETED: 'deleted',
  DESTROYED: 'deleted',
  IMPORTED: 'imported',
  JOINED: 'joined',
  LEFT: 'left',
  OPENED: 'opened',
  PUSHED_NEW: 'pushed new',
  PUSHED_TO: 'pushed to',
};

/** Events as the templates show them. */
export function toldEvents(events: readonly EventLineFragment[]): ToldEvent[] {
  return events.map((event) => ({ ...event, verb: VERBS[event.actionName] ?? 'changed', ...targetOf(event) }));
}

function targetOf(event: EventLineFragment): Pick<ToldEvent, 'target' | 'path'> {
  const { push, note, project, targetType, targetIid, actionName } = event;
  const base = project ? `/${project.fullPath}` : null;
  const at = (path: string) => (base === null || actionName === 'DESTROYED' ? null : `${base}/-/${path}`);
  if (push) {
    const kind = push.refType === 'TAG' ? 'tag' : 'branch';
    const path = `tree/${push.ref.split('/').map(encodeURIComponent).join('/')}`;
    return { target: `${kind} ${push.ref}`, path: actionName === 'DELETED' ? null : at(path) };
  }
  if (note) {
    const { noteableType, noteableIid, commitSha, databaseId } = note;
    if (noteableType === 'Commit') {
      return { target: `commit ${commitSha?.slice(0, 8)}`, path: at(`commit/${commitSha}#note_${databaseId}`) };
    }
    const [kind, mark, place] =
      noteableType === 'Issue' ? ['issue', '#', 'issues'] : ['merge request', '!', 'merge_requests'];
    return {
      target: `${kind} ${mark}${noteableIid}`,
      path: at(`${place}/${noteableIid}?note=${databaseId}#note_${databaseId}`),
    };
  }
  if (targetType === 'ISSUE') return { target: `issue #${targetIid}`, path: at(`issues/${targetIid}`) };
  if (targetType === 'MERGE_REQUEST')
    return { target: `merge request !${targetIid}`, path: at(`merge_requests/${targetIid}`) };
  if (targetType === 'MILESTONE') return { target: 'a milestone', path: at(`milestones/${targetIid}`) };
  return { target: 'the project', path: null };
}
