import type { ChannelOptions } from '@grpc/grpc-js'

/** The variables of a run come in one message. */
export const MESSAGE_LIMIT_BYTES = 32 * 1024 * 1024

/** Set on both ends: a dead peer is noticed within 30 s, also on an idle connection, and no message exceeds the limit. */
export const COMMON_OPTIONS: ChannelOptions = {
  'grpc.max_send_message_length': MESSAGE_LIMIT_BYTES,
  'grpc.max_receive_message_length': MESSAGE_LIMIT_BYTES,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
}
