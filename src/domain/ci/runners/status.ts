import type { RunnerStatus } from '#src/domain/ci/runners/list.ts';

const HOUR = 3_600_000;

/** Whether a runner or one of its machines is there, by when it was heard of and made (ISO 8601); as lists filter by it. */
export function runnerStatus({
  contactedAt,
  createdAt,
}: {
  contactedAt: string | null;
  createdAt: string;
}): RunnerStatus {
  const since = (time: string) => Date.now() - Date.parse(time);
  if (since(contactedAt ?? createdAt) >= 7 * 24 * HOUR) return 'stale';
  if (contactedAt === null) return 'never_contacted';
  return since(contactedAt) < 2 * HOUR ? 'online' : 'offline';
}
