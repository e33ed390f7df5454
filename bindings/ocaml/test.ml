let lauka = try Sys.getenv "LAUKA" with Not_found -> "lauka"
let failures = ref 0
let tests = ref 0

let expect name good =
  incr tests;
  if not good then (
    incr failures;
    print_endline ("FAILED " ^ name))

let run ?events options program = Lauka.run ~lauka ~options:([ "--no-config"; "--seed=1" ] @ options) ?events program

let pretended = function
  | Error error -> expect (Lauka.string_of_error error) false
  | Ok result ->
      expect "the wall time is that of the command" (Float.abs (Lauka.wall_time_seconds result -. 0.01) < 0.001);
      expect "instructions are counted" (Lauka.get_counter "instructions" result > Some 50_000_000L);
      expect "there is an IPC" (Lauka.get_ipc result > 0.);
      expect "what was not measured is None" (Lauka.get_counter "unheard-of" result = None);
      let path = Filename.temp_file "lauka" ".json" in
      Yojson.Safe.to_file path (Lauka.json result);
      expect "a file is loaded" (Lauka.load path = Ok result);
      Sys.remove path

let fails name expected = function
  | Ok _ -> expect name false
  | Error error -> expect (name ^ ": " ^ Lauka.string_of_error error) (expected error)

let () =
  pretended (run [ "--backend=simulated:effects"; "-r20" ] [ "a"; "cost=10ms" ]);
  (match run [ "-r1" ] [ "sh"; "-c"; "exit 0" ] with
  | Ok result -> expect "a program gets its arguments" (Lauka.wall_time_seconds result > 0.)
  | Error error -> expect (Lauka.string_of_error error) false);
  fails "a program that fails" (function Lauka.Failed (5, _) -> true | _ -> false) (run [ "-r1" ] [ "sh"; "-c"; "exit 3" ]);
  fails "an event that is not known" (function Lauka.Failed (2, text) -> text <> "" | _ -> false)
    (run ~events:[ "unheard-of" ] [ "-r1" ] [ "true" ]);
  fails "no lauka" (function Lauka.Not_started _ | Lauka.Failed (127, _) -> true | _ -> false)
    (Lauka.run ~lauka:"/nonexistent/lauka" [ "true" ]);
  fails "no file" (function Lauka.Not_a_result _ -> true | _ -> false) (Lauka.load "/nonexistent");
  let deep = Filename.temp_file "lauka" ".json" in
  let file = open_out_bin deep in
  output_string file (String.make 3_000_000 '[');
  close_out file;
  fails "what nests too deep" (function Lauka.Not_a_result _ -> true | _ -> false) (Lauka.load deep);
  Sys.remove deep;
  let read_mean text =
    let path = Filename.temp_file "lauka" ".json" in
    let file = open_out_bin path in
    Printf.fprintf file
      {|{"schema": "lauka-result/1.0", "results": [{"metrics": {"cycles": {%s}, "instructions": {"mean": 8e18}}}]}|} text;
    close_out file;
    let result = Lauka.load path in
    Sys.remove path;
    result
  in
  List.iter
    (fun text -> fails text (function Lauka.Not_a_result _ -> true | _ -> false) (read_mean text))
    [ {|"mean": "x"|}; {|"mean": [1]|}; {|"mean": true|}; {|"mean": {}|}; {|"mean": NaN|}; {|"mean": -Infinity|};
      {|"mean": 1e999|}; {|"mean": 1|} ^ String.make 400 '0'; "" ];
  List.iter
    (fun (text, cycles, ipc) ->
      match read_mean text with
      | Error error -> expect (text ^ ": " ^ Lauka.string_of_error error) false
      | Ok result ->
          expect text
            (Lauka.get_counter "cycles" result = cycles && Float.is_nan (Lauka.wall_time_seconds result)
            && compare (Lauka.get_ipc result) ipc = 0))
    [ ({|"mean": null|}, None, nan); ({|"mean": 0|}, Some 0L, nan); ({|"mean": 4e18|}, Some 4_000_000_000_000_000_000L, 2.);
      ({|"mean": 1e300|}, Some Int64.max_int, 8e-282) ];
  Printf.printf "%d passed, %d failed\n" (!tests - !failures) !failures;
  exit (if !failures = 0 then 0 else 1)
