import type { Facts } from '#src/domain/notifications/mailing/facts.ts';
import type { Recipient } from '#src/domain/notifications/mailing/recipients.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';

/** Why a recipient gets the mail, in the words that filters know; others have none. */
const REASONS: Partial<Record<Recipient['reason'], string>> = {
  mentioned: 'mentioned',
  assigned: 'assigned',
  reviewer: 'review_requested',
  subscribed: 'subscribed',
};

/** Characters of the longest identifier of a list (RFC 2919). */
const MAX_LIST_ID_LENGTH = 255;

/** The headers by which filters sort mail: where it comes from, what it is about, and why it came. */
export function headersOf(
  happening: Keyed,
  reason: Recipient['reason'],
  { project, projectPath, iid }: Pick<Facts, 'project' | 'projectPath' | 'iid'>,
  host: string,
): Record<string, string> {
  const { projectId } = happening;
  const why = REASONS[reason];
  return {
    'List-Id': `${projectPath} <${listIdOf(projectId, projectPath, host)}>`,
    'X-GitLab-Project': project,
    'X-GitLab-Project-Id': String(projectId),
    'X-GitLab-Project-Path': projectPath,
    ...aboutOf(happening, iid),
    ...(why !== undefined && { 'X-GitLab-NotificationReason': why }),
  };
}

function aboutOf(happening: Keyed, iid: number): Record<string, string> {
  if (!('subject' in happening)) return { 'X-GitLab-Pipeline-Id': String(happening.pipelineId) };
  const { type, id } = happening.subject;
  return { [`X-GitLab-${type}-ID`]: String(id), [`X-GitLab-${type}-IID`]: String(iid) };
}

/** `7.project.group.git.example.org`, without the path where that would be too long. */
function listIdOf(projectId: number, projectPath: string, host: string): string {
  const whole = [projectId, ...projectPath.split('/').reverse(), host].join('.');
  return whole.length <= MAX_LIST_ID_LENGTH ? whole : `${projectId}.${host}`;
}
