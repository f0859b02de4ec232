interface Greeting { whom: string; loud?: boolean }

export function greet({ whom, loud }: Greeting): string {
  const s: string = `Hello, ${whom}`;
  return loud ? s.toUpperCase() : s;
}
