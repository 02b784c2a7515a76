import type { Payload, Surroundings } from '#src/domain/webhooks/payload/common.ts';
import { deploymentPayload } from '#src/domain/webhooks/payload/deployment.ts';
import { featureFlagPayload } from '#src/domain/webhooks/payload/feature_flag.ts';
import { issuePayload } from '#src/domain/webhooks/payload/issue.ts';
import { jobPayload, pipelinePayload } from '#src/domain/webhooks/payload/job.ts';
import type { EventKind } from '#src/domain/webhooks/payload/kinds.ts';
import { mergeRequestPayload } from '#src/domain/webhooks/payload/merge_request.ts';
import { notePayload } from '#src/domain/webhooks/payload/note.ts';
import { pushPayload } from '#src/domain/webhooks/payload/push.ts';
import { releasePayload } from '#src/domain/webhooks/payload/release.ts';
import { type SystemFacts, systemPayload } from '#src/domain/webhooks/payload/system.ts';
import { wikiPagePayload } from '#src/domain/webhooks/payload/wiki_page.ts';

/** Bytes of the largest body that is sent. */
export const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;

/** Characters to which long texts are truncated if a body would be too large. */
const SHORT = 1_000;

/** Builds the body for the event: JSON in the era's format (behaviour.md 0). */
export async function buildBody(kind: EventKind, facts: unknown, around: Surroundings): Promise<string> {
  const payload = withType(kind, await build(kind, facts, around));
  const body = JSON.stringify(payload);
  if (Buffer.byteLength(body) <= MAX_PAYLOAD_BYTES) return body;
  return JSON.stringify(payload, shorten);
}

/** With the type of the event, which tells what is confidential apart. */
function withType(kind: EventKind, { object_kind, ...payload }: Payload): Payload {
  if (object_kind === undefined) return payload;
  return { object_kind, event_type: kind.startsWith('confidential_') ? kind : object_kind, ...payload };
}

/** Each kind has its own facts, which the database recorded under that name. */
async function build(kind: EventKind, facts: unknown, around: Surroundings): Promise<Payload> {
  const of = <F>(make: (facts: F, around: Surroundings) => Payload | Promise<Payload>) => make(facts as F, around);
  switch (kind) {
    case 'push':
    case 'tag_push':
      return of(pushPayload);
    case 'issue':
    case 'confidential_issue':
      return of(issuePayload);
    case 'merge_request':
      return of(mergeRequestPayload);
    case 'note':
    case 'confidential_note':
      return of(notePayload);
    case 'job':
      return of(jobPayload);
    case 'pipeline':
      return of(pipelinePayload);
    case 'release':
      return of(releasePayload);
    case 'wiki_page':
      return of(wikiPagePayload);
    case 'deployment':
      return of(deploymentPayload);
    case 'feature_flag':
      return of(featureFlagPayload);
    default:
      return systemPayload(kind, facts as SystemFacts);
  }
}

/** Shortens a payload, keeping what receivers need for follow-up requests: long texts are truncated, lists of paths omitted. */
function shorten(key: string, value: unknown): unknown {
  if (['added', 'modified', 'removed'].includes(key)) return [];
  return typeof value === 'string' && value.length > SHORT ? `${value.slice(0, SHORT).toWellFormed()}…` : value;
}
