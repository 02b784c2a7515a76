/** An event of a stream of Server-Sent Events. */
export interface ServerSentEvent {
  /** By which a lost stream is resumed; undefined without one. */
  id?: string;
  event: string;
  data: string;
}

/** Milliseconds without a byte after which a stream counts as lost: servers send something every 15 seconds. */
const STALL_TIMEOUT_MS = 60_000;

/** The events of a stream, until it ends. Throws when it breaks off, or nothing comes for a minute. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The event of a block of lines; null for comments, as which heartbeats come. */
function eventOf(block: string): ServerSentEvent | null {
  const values: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) values[name] = name in values ? `${values[name]}\n${value}` : value;
  }
  const { id, event, data = '' } = values;
  if (event === undefined) return null;
  return { event, data, ...(id === undefined ? {} : { id }) };
}

async function withinTime<Value>(coming: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The server sends nothing any more.')), STALL_TIMEOUT_MS);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}
