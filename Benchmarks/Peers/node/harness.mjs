// A harness of a Node library; its protocol is in Benchmarks/Peers/README.md.
import fs from 'node:fs';
import readline from 'node:readline';

const folder = process.argv[2];
export const read = (name) => fs.readFileSync(`${folder}/${name}`);
export const text = (name) => read(name).toString().trim();
export const payload = read('claims.json');
export const claims = JSON.parse(payload);
const shared = ['HS256', 'dir', 'A256KW'];
export const isShared = (alg) => shared.includes(alg);

const say = (...words) => fs.writeSync(1, words.join('\t') + '\n');

class Accepted extends Error {}

async function prove(operation, take, sound) {
  const token = text(`${operation}.token`);
  if (!sound(await take(token))) throw new Error('the good token gives something else');
  for (const line of text(`${operation}.refused`).split('\n')) {
    const [, reason, broken] = line.split('\t');
    let taken = true;
    try { await take(broken); } catch { taken = false; }
    if (taken) throw new Accepted(reason);
  }
  return () => take(token);
}

async function prepared(library, operation) {
  const [group, rest] = operation.split('/'), names = rest.split('+');
  const isClaims = (held) => held.sub === claims.sub, isPayload = (plain) => payload.equals(plain);
  switch (group) {
    case 'verify': return { run: await prove(operation, await library.verifier(...names), isClaims), made: '-' };
    case 'decrypt': return { run: await prove(operation, await library.decrypter(...names), isPayload), made: '-' };
    case 'nested': {
      const decrypt = await library.decrypter(names[0], names[1]), verify = await library.verifier(names[2]);
      const decoder = new TextDecoder();
      return { run: await prove(operation, async (token) => verify(decoder.decode(await decrypt(token))), isClaims), made: '-' };
    }
    case 'sign': case 'encrypt': {
      const run = await (group === 'sign' ? library.signer(...names) : library.encrypter(...names));
      return { run, made: await run() };
    }
    default: throw new Error(`no such operation`);
  }
}

async function measure(operation, seconds) {
  const now = () => Number(process.hrtime.bigint());
  const end = now() + seconds * 1e9, begun = process.cpuUsage();
  for (let count = 0; ;) {
    const since = now();
    for (let i = 0; i < operation.step; i++) await operation.run();
    count += operation.step;
    const time = now();
    if (time >= end) {
      const taken = process.cpuUsage(begun);
      return [count, (taken.user + taken.system) * 1000];
    }
    if (time - since < 1e6) operation.step *= 2;
  }
}

export async function serve(library) {
  const ready = new Map();
  for (const operation of text('operations').split('\n')) {
    try {
      const { run, made } = await prepared(library, operation);
      ready.set(operation, { run, step: 1 });
      say('can', operation, made);
    } catch (fault) {
      say(fault instanceof Accepted ? 'accepts' : 'cannot', operation, String(fault.message).replace(/\s+/g, ' '));
    }
  }
  say('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [operation, seconds] = line.split(' ');
    say(operation, ...await measure(ready.get(operation), Number(seconds)));
  }
}
