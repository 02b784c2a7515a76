import type { IntegrationEvent, ToldKind } from '#src/domain/integrations/base/events.ts';
import type { Field, Settings } from '#src/domain/integrations/base/field.ts';

/** One kind of integration: a row of the table in `kinds.ts`. */
export interface Kind {
  /** Its name in addresses and in the API. */
  slug: string;
  /** For people, in English. */
  title: string;
  description: string;
  fields: readonly Field[];
  /** The events that it can be told of; of new integrations all but the quiet ones are on. */
  events: readonly IntegrationEvent[];
  quiet?: readonly IntegrationEvent[];
  /** Pages elsewhere that the navigation of a project leads to. */
  pages?: (settings: Settings) => LinkedPage[];
  /** Where a reference to an issue elsewhere leads, as it is written: `#12`, `ABC-12`; null for what is none of them. */
  issueUrl?: (settings: Settings, written: string) => string | null;
  /** How answers to commands of the chat are written. */
  says?: (part: string | { text: string; url: string }) => string;
  /** Tells it of an event. Kinds without it are not told of events. */
  tell?: Tell;
}

/** A page of another program. */
export interface LinkedPage {
  /** For people, in English. */
  title: string;
  url: string;
}

/** An event as it is told, with the payload that webhooks send of it. */
export interface Told {
  kind: ToldKind;
  payload: EventPayload;
  settings: Settings;
}

/** Tells of an event; null if there is nothing to say of it. Never throws for what the other side does. */
export type Tell = (told: Told, tools: TellingTools) => Promise<Answer | null>;

/** What telling of events needs of the server. */
export interface TellingTools {
  /** Sends one request by the rules for webhooks. Never throws. */
  send(request: OutgoingRequest): Promise<Answer>;
  /** Puts mail about the event to each address into the queue. */
  mail(to: readonly string[]): Promise<Answer>;
  /** Whether a branch of the project of the event is protected. */
  isProtected(branch: string): Promise<boolean>;
}

export interface OutgoingRequest {
  url: string;
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Whether to verify the certificate of the receiver; true if absent. */
  verify?: boolean;
}

/** How telling went, as the log of deliveries has it (`webhooks/send.ts`). */
export interface Answer {
  succeeded: boolean;
  /** Null without a response. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  error: string | null;
  /** In milliseconds. */
  duration: number;
}

/** What the messages of integrations read of the payloads of webhooks (docs/webhooks.md). */
export interface EventPayload {
  object_kind?: string;
  user?: { name: string; username: string } | null;
  user_name?: string;
  project: {
    id: number;
    name: string;
    namespace: string;
    web_url: string;
    path_with_namespace: string;
    default_branch: string | null;
  };
  ref?: string;
  before?: string;
  after?: string;
  commits?: { id: string; message: string; url: string; author: { name: string } }[];
  total_commits_count?: number;
  object_attributes?: Attributes;
  merge_request?: { iid: number; title: string; url: string } | null;
  issue?: { iid: number; title: string; url: string } | null;
  commit?: { id: string; title: string; message: string; url: string } | null;
  snippet?: { id: number; title: string };
  builds?: { name: string; stage: string; status: string; allow_failure: boolean }[];
  status?: string;
  environment?: string;
  short_sha?: string;
  deployable_url?: string | null;
  commit_url?: string;
  commit_title?: string | null;
  build_status?: string;
  build_name?: string;
  build_id?: number;
  tag?: boolean;
}

interface Attributes {
  id?: number;
  iid?: number;
  title?: string;
  description?: string | null;
  note?: string;
  noteable_type?: string;
  message?: string;
  url?: string;
  action?: string;
  status?: string;
  ref?: string;
  tag?: boolean;
  sha?: string;
  duration?: number | null;
  target_branch?: string;
  source_branch?: string;
}
